// The store's questions as they are typed: the order of a branch, filters, pages, ranges, who may ask.
#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "ci/git/repository.hpp"
#include "storage/embedded/cluster.hpp"
#include "storage/postgres/session/session.hpp"
#include "tests/ci/git/temporary_repository.hpp"
#include "tests/ci/verbs/shared_store.hpp"

namespace steelyard::ci::history_queries_test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

struct Taken {
  std::string name = "BM_a";
  double value = 100;
  std::string cpus = "2";
  std::string label{};
};

class HistoryQueries : public SharedStore {
 protected:
  // One process's worth, each file taken a minute after the one before.
  static std::string google_benchmark(const std::vector<Taken>& all) {
    static int minutes = 0;
    ++minutes;
    const auto two_digits = [](int number) { return (number < 10 ? "0" : "") + std::to_string(number); };
    std::string records;
    for (const Taken& one : all) {
      records += std::string(records.empty() ? "" : ",") + R"({"name":")" + one.name +
                 R"(","run_type":"iteration","iterations":10,"real_time":)" + std::to_string(one.value) +
                 R"(,"cpu_time":1,"time_unit":"ns")" + (one.label.empty() ? "" : R"(,"label":")" + one.label + '"') +
                 "}";
    }
    return R"({"context":{"date":"2026-02-03T)" + two_digits(minutes / 60) + ':' + two_digits(minutes % 60) +
           R"(:05+00:00","host_name":"h","num_cpus":)" + all.front().cpus + R"(,"mhz_per_cpu":2000},"benchmarks":[)" +
           records + "]}";
  }
  static void import(const std::string& project, const std::string& commit, const std::vector<Taken>& all,
                     const std::string& branch = "main") {
    write("../taken.json", google_benchmark(all));
    std::vector<std::string> words{"import", "google-benchmark", "../taken.json", "--project", project};
    if (!commit.empty()) words.insert(words.end(), {"--commit", commit, "--branch", branch});
    const Outcome imported = run(words);
    ASSERT_EQ(imported.status, 0) << imported.err;
  }
  static json ask(std::vector<std::string> words) {
    words.insert(words.begin(), "history");
    words.emplace_back("--json");
    const Outcome answer = run(words);
    EXPECT_EQ(answer.status, 0) << answer.err;
    return answer.status == 0 ? json::parse(answer.out) : json();
  }
  static std::vector<std::string> names(const json& history) {
    std::vector<std::string> all;
    for (const json& series : history["series"]) all.push_back(series["benchmark"].get<std::string>());
    return all;
  }
  static std::vector<double> values(const json& series, bool off_branch = false) {
    std::vector<double> all;
    for (const json& point : series["points"]) {
      if (point["off_branch"].get<bool>() == off_branch) all.push_back(point["value"].get<double>());
    }
    return all;
  }
  void SetUp() override {
    SharedStore::SetUp();
    std::filesystem::create_directories(folder_ / "below");
    std::filesystem::current_path(folder_ / "below");
  }
  void TearDown() override {
    std::filesystem::current_path("/");
    SharedStore::TearDown();
  }
  // Every commit has the same date: which is older only the graph tells.
  void begin_repository() {
    repository_.emplace();
    std::filesystem::current_path(repository_->root());
  }
  void git(const std::string& arguments) const { repository_->git(arguments); }
  void commit(const std::string& subject) const { repository_->commit(subject); }
  void measured_commit(const std::string& project, const std::string& subject, double value) const {
    commit(subject);
    import(project, "HEAD", {{ "BM_a", value }});
  }
  std::string head() const {
    const auto answer = run_git(repository_->root(), {"rev-parse", "HEAD"});
    return answer ? answer->output : "";
  }
  std::optional<TemporaryRepository> repository_;
};

std::string in_one_line(const std::string& text) {
  std::istringstream stream(text);
  std::string line;
  for (std::string word; stream >> word;) line += word + ' ';
  return line;
}

TEST_F(HistoryQueries, AMergeAndAForcePushLeaveTheOrderOfTheGraph) {
  begin_repository();
  measured_commit("graph", "one", 101);
  git("checkout --quiet -b topic");
  commit("of the topic");
  git("checkout --quiet main");
  measured_commit("graph", "two", 102);
  git("merge --quiet --no-ff -m merged topic");
  import("graph", "HEAD", {{ "BM_a", 103 }});
  measured_commit("graph", "thrown away", 150);
  git("reset --quiet --hard HEAD~1");
  measured_commit("graph", "four", 104);
  git("checkout --quiet HEAD~2");
  import("graph", "HEAD", {{ "BM_a", 102.5 }});  // a commit of before, measured again
  git("checkout --quiet main");

  const std::vector<std::string> branch{"BM_a", "--project", "graph", "--branch", "main"};
  const json history = ask(branch);
  ASSERT_EQ(history["series"].size(), 1U);
  EXPECT_THAT(values(history["series"][0]), ElementsAre(101, 102, 102.5, 103, 104));
  EXPECT_THAT(values(history["series"][0], true), ElementsAre(150));
  EXPECT_EQ(history["next"], nullptr);
  const Outcome drawn = run({"history", "BM_a", "--project", "graph", "--branch", "main"});
  EXPECT_THAT(drawn.out, AllOf(HasSubstr("[off the branch] thrown away"), HasSubstr("104 ns")));

  // The points from archives, which know first parents alone.
  for (const json& point : history["series"][0]["points"]) {
    const std::string id = point["run"].get<std::string>();
    std::filesystem::create_directories("../kept");
    ASSERT_EQ(run({"export", "run:" + id, "--output", "../kept/" + id + ".syrun"}).status, 0);
  }
  std::vector<std::string> from_archives = branch;
  from_archives.insert(from_archives.end(), {"--archives", "../kept"});
  EXPECT_EQ(ask(from_archives)["series"], history["series"]);
}

TEST_F(HistoryQueries, CommitsOfOneSecondStandAsOnTheirBranchWhereNoneIsAskedFor) {
  begin_repository();
  for (const char* subject : {"one", "two", "three", "four"}) commit(subject);
  for (int back = 0; back < 4; ++back) {  // backfilled: the newest is measured first
    import("second", "HEAD~" + std::to_string(back), {{ "BM_a", 104.0 - back }});
  }
  const json history = ask({"BM_a", "--project", "second"});
  ASSERT_EQ(history["series"].size(), 1U);
  EXPECT_THAT(values(history["series"][0]), ElementsAre(101, 102, 103, 104));
}

TEST_F(HistoryQueries, ANameWithABracketIsShownAndFoundAsItIsWritten) {
  const std::string name = "nice name (v2) [x]/8";
  import("brackets", "", {{name, 100}, { "BM_other", 50 }});
  for (const std::string& asked : {name, std::string("(v2) [x]"), std::string("nice name (v2) %5Bx]/8")}) {
    const Outcome outcome = run({"history", asked, "--project", "brackets"});
    EXPECT_EQ(outcome.status, 0) << asked << ": " << outcome.err;
    EXPECT_THAT(outcome.out, AllOf(HasSubstr(name), Not(HasSubstr("%5B")), Not(HasSubstr("BM_other")))) << asked;
  }
  EXPECT_THAT(names(ask({name, "--project", "brackets"})), ElementsAre("nice name (v2) %5Bx]/8")) << "its identity";
}

TEST_F(HistoryQueries, TheGateTakesTheNearestMeasuredAncestorAndSaysHowFarItIs) {
  begin_repository();
  measured_commit("ancestors", "measured", 100);
  const auto gate = [&](double value) {
    write("../new.json", google_benchmark({{"BM_a", value}}));
    EXPECT_EQ(run({"import", "google-benchmark", "../new.json", "--project", "ancestors", "--commit", "HEAD",
                   "--branch", "work"})
                  .status,
              0);
    return run({"gate", "--against-history", "--run", "commit:" + head(), "--project", "ancestors", "--history-branch",
                "main", "--no-store"});
  };
  const std::string measured = head();
  commit("not measured");
  git("branch work");
  measured_commit("ancestors", "thrown away", 500);
  git("reset --quiet --hard HEAD~1");
  measured_commit("ancestors", "instead", 101);
  git("checkout --quiet work");
  commit("first of the work");
  EXPECT_THAT(in_one_line(gate(100).out), HasSubstr("of commit " + measured.substr(0, 9) + ", 2 commits before the"));
  // Its own branch's earlier run is nearer, and none to be judged by.
  commit("second of the work");
  EXPECT_THAT(in_one_line(gate(101).out), HasSubstr("of commit " + measured.substr(0, 9) + ", 3 commits before the"));
}

TEST_F(HistoryQueries, AnAncestorIsABaseline) {
  begin_repository();
  measured_commit("older", "one", 100);
  const std::string measured = head();
  commit("not measured");
  measured_commit("older", "three", 101);
  const std::string candidate = "commit:" + head();
  const Outcome compared = run({"compare", "ancestor:main", candidate, "--project", "older"});
  EXPECT_THAT(in_one_line(compared.out),
              HasSubstr("the baseline is of commit " + measured.substr(0, 9) + ", 2 commits before the candidate"))
      << compared.err;
  EXPECT_THAT(run({"compare", "ancestor:", "commit:" + measured, "--project", "older"}).err,
              HasSubstr("no ancestor of"));
  EXPECT_THAT(run({"compare", candidate, "ancestor:", "--project", "older"}).err,
              HasSubstr("as the baseline of a candidate"));
  write("../no_commit.json", google_benchmark({{"BM_a", 1}}));
  const Outcome nameless = run({"compare", "ancestor:", "../no_commit.json"});
  EXPECT_EQ(nameless.status, 3);
  EXPECT_THAT(nameless.err, HasSubstr("names no commit"));
}

TEST_F(HistoryQueries, AMachineAParameterAndALabelChoose) {
  import("chosen", "", {{"BM_s/size:64", 1, "2", "tuned, by hand"}, {"BM_s/size:128", 2}, { "BM_t/64", 3 }});
  import("chosen", "", {{ "BM_s/size:64", 9, "8" }});
  const std::vector<std::string> project{"--project", "chosen"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.end(), project.begin(), project.end());
    return ask(more);
  };
  EXPECT_EQ(with({})["series"].size(), 4U);
  EXPECT_THAT(names(with({"--parameter", "size=128"})), ElementsAre("BM_s/size:128"));
  EXPECT_THAT(names(with({"--parameter", "64"})), ElementsAre("BM_t/64"));
  EXPECT_EQ(with({"--parameter", "size=64", "--parameter", "size=128"})["series"].size(), 0U);
  EXPECT_THAT(names(with({"--label", "tuned, by"})), ElementsAre("BM_s/size:64", "BM_s/size:64"));
  const json small = with({"--parameter", "size=128"});
  const std::string machine = small["series"][0]["fingerprint"].get<std::string>();
  EXPECT_THAT(names(with({"--machine", machine.substr(0, 12)})),
              ElementsAre("BM_s/size:128", "BM_s/size:64", "BM_t/64"));
  const json other = with({"BM_s/size:64", "--machine", "google.num_cpus=8"});
  ASSERT_EQ(other["series"].size(), 1U) << other;
  EXPECT_THAT(values(other["series"][0]), ElementsAre(9));
}

TEST_F(HistoryQueries, PagesHoldEverySeriesOnceWhateverIsWrittenInBetween) {
  import("pages", "", {{"BM_b", 1}, {"BM_d", 1}, {"BM_f", 1}, {"BM_h", 1}, { "BM_j", 1 }});
  std::vector<std::string> seen;
  std::string cursor;
  for (int page = 0; page < 10; ++page) {
    std::vector<std::string> words{"--project", "pages", "--series", "2"};
    if (!cursor.empty()) words.insert(words.end(), {"--after", cursor});
    const json answer = ask(words);
    for (const std::string& name : names(answer)) seen.push_back(name);
    if (answer["next"].is_null()) break;
    cursor = answer["next"].get<std::string>();
    // Before and behind where the page ended.
    import("pages", "", {{"BM_a", 1}, {"BM_b", 2}, {page == 0 ? "BM_e" : "BM_z", 1}, { "BM_j", 2 }});
  }
  EXPECT_THAT(seen, ElementsAre("BM_b", "BM_d", "BM_e", "BM_f", "BM_h", "BM_j", "BM_z"));
  EXPECT_EQ(run({"history", "--project", "pages", "--after", "series-12"}).status, 3);
}

TEST_F(HistoryQueries, OlderPointsAreToldOnceWhateverIsWrittenInBetween) {
  for (int i = 1; i <= 10; ++i) import("points", "", {{ "BM_a", 100.0 + i }});
  std::vector<double> seen;
  std::string cursor;
  for (int page = 0; page < 10; ++page) {
    std::vector<std::string> words{"BM_a", "--project", "points", "--limit", "3"};
    if (!cursor.empty()) words.insert(words.end(), {"--after", cursor});
    const json answer = ask(words);
    ASSERT_EQ(answer["series"].size(), 1U);
    const std::vector<double> told = values(answer["series"][0]);
    seen.insert(seen.begin(), told.begin(), told.end());
    EXPECT_EQ(answer["next"], answer["series"][0]["older"]) << "of one series alone";
    if (answer["next"].is_null()) break;
    cursor = answer["next"].get<std::string>();
    import("points", "", {{"BM_a", 200.0 + page}, { "BM_aa", 7 }});
  }
  EXPECT_THAT(seen, ElementsAre(101, 102, 103, 104, 105, 106, 107, 108, 109, 110));
  EXPECT_THAT(run({"history", "BM_a", "--project", "points", "--limit", "3"}).out, HasSubstr("older points: --after"));
}

TEST_F(HistoryQueries, ARangeTellsWhatChangedAndWhatMovedMost) {
  const auto commit = [](int day) { return std::string(38, 'b') + std::to_string(10 + day); };
  for (int day = 1; day <= 16; ++day) {
    const double wobble = 1 + 0.01 * ((day * 7) % 5 - 2);
    import("range", commit(day), {{"BM_a", (day > 10 ? 130 : 100) * wobble}, {"BM_b", 50 * wobble}, {
                                    "BM_c",
                                    5.0 * day
                                  }});
  }
  ASSERT_EQ(run({"changes", "--project", "range", "--branch", "main"}).status, 0);
  const std::string all = commit(2) + ".." + commit(16);
  const json changed = ask({"--changed-in", all, "--project", "range"});
  EXPECT_EQ(changed["schema"], "steelyard.changed/1");
  EXPECT_EQ(changed["from"], commit(2));
  ASSERT_GE(changed["changed"].size(), 1U) << changed;
  EXPECT_EQ(changed["changed"][0]["benchmark"], "BM_a");
  EXPECT_EQ(changed["changed"][0]["commit"], commit(11));
  EXPECT_EQ(changed["changed"][0]["verdict"], "regression");
  EXPECT_EQ(ask({"--changed-in", commit(11) + ".." + commit(12), "--project", "range"})["changed"].size(), 0U)
      << "the range begins after its first commit";
  const Outcome table = run({"history", "--changed-in", all, "--project", "range"});
  EXPECT_THAT(table.out, AllOf(HasSubstr("BM_a"), HasSubstr("regression"), HasSubstr("change point")));

  const json first = ask({"--top-movers", all, "--project", "range", "--limit", "1"});
  EXPECT_EQ(first["movers"][0]["benchmark"], "BM_c");
  const json second =
      ask({"--top-movers", all, "--project", "range", "--limit", "1", "--after", first["next"].get<std::string>()});
  EXPECT_EQ(second["movers"][0]["benchmark"], "BM_a");
  EXPECT_NEAR(second["movers"][0]["ratio"].get<double>(), 1.3, 0.05);
  const Outcome usual = run({"history", "--top-movers", "--project", "range"});
  EXPECT_EQ(usual.status, 0) << usual.err;
  EXPECT_THAT(usual.out, AllOf(HasSubstr(commit(7).substr(0, 9) + ".." + commit(16).substr(0, 9) + " on main"),
                               HasSubstr("BM_c"), HasSubstr("worse")));
}

TEST_F(HistoryQueries, ARangeSaysOfWhichEndItHasNoRunAndWhatItLookedAtInstead) {
  begin_repository();
  commit("before all");
  for (int day = 1; day <= 16; ++day) {
    const double wobble = 1 + 0.01 * ((day * 7) % 5 - 2);
    measured_commit("ends", "day " + std::to_string(day), (day > 10 ? 130 : 100) * wobble);
  }
  const std::string newest = head();
  ASSERT_EQ(run({"changes", "--project", "ends", "--branch", "main"}).status, 0);
  commit("not measured");
  commit("not measured either");
  const std::string here = head();
  const auto asked = [](const std::string& range, std::vector<std::string> more = {}) {
    std::vector<std::string> words{"history", "--changed-in", range, "--project", "ends"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return in_one_line(outcome.out);
  };
  const std::string nearest = here.substr(0, 9) + " has no run; the nearest measured commit is " + newest.substr(0, 9) +
                              ", 2 commits before it";
  EXPECT_THAT(asked("HEAD~14..HEAD"), AllOf(HasSubstr("BM_a"), HasSubstr("regression"), HasSubstr(nearest)));
  EXPECT_THAT(asked("HEAD~4..HEAD"),
              AllOf(HasSubstr("No change was found in "), HasSubstr(".." + newest.substr(0, 9) + ", the measured part"),
                    HasSubstr(nearest)));
  EXPECT_THAT(asked("HEAD~1..HEAD"), HasSubstr("Nothing was found to compare in"));
  EXPECT_THAT(asked("HEAD~18..HEAD~10"),
              AllOf(HasSubstr("No change was found in "), HasSubstr("and of no commit before it one is known")));
  EXPECT_THAT(asked("HEAD~14..HEAD~2", {"--branch", "mian"}),
              AllOf(HasSubstr("Nothing was found to compare in"), HasSubstr("no run of branch mian"),
                    HasSubstr("did you mean main?")));
  EXPECT_THAT(asked("HEAD~4..HEAD~2"), AllOf(HasSubstr("No change was found in "), Not(HasSubstr("has no run"))));
  const auto moved = [](const std::string& range) {
    return in_one_line(run({"history", "--top-movers", range, "--project", "ends"}).out);
  };
  EXPECT_THAT(moved("HEAD~14..HEAD"), AllOf(HasSubstr("Nothing was found to compare in "), HasSubstr(nearest)));
  EXPECT_THAT(moved("HEAD~14..HEAD~2"), AllOf(HasSubstr("BM_a"), Not(HasSubstr("has no run"))));
  EXPECT_EQ(ask({"--top-movers", "HEAD~14..HEAD", "--project", "ends"})["ends"]["to"]["measured"], newest);
  const json partly = ask({"--changed-in", "HEAD~4..HEAD", "--project", "ends"});
  EXPECT_EQ(partly["to"], here);
  EXPECT_EQ(partly["compared"], true);
  EXPECT_EQ(partly["ends"]["to"]["has_run"], false);
  EXPECT_EQ(partly["ends"]["to"]["measured"], newest);
  EXPECT_EQ(partly["ends"]["to"]["commits_before"], 2);
  EXPECT_EQ(partly["ends"]["from"]["has_run"], true);
  const json misspelt = ask({"--changed-in", "HEAD~14..HEAD~2", "--project", "ends", "--branch", "mian"});
  EXPECT_EQ(misspelt["compared"], false);
  EXPECT_EQ(misspelt["branch_has_runs"], false);
  EXPECT_EQ(misspelt["ends"]["to"]["measured"], nullptr);
}

TEST_F(HistoryQueries, WhatExcludedEverySeriesIsNamedWithTheNearest) {
  import("narrowed", std::string(40, 'a'), {{ "BM_hash", 1 }});
  const auto told = [](std::vector<std::string> more) {
    more.insert(more.begin(), {"history", "BM_hash", "--project", "narrowed"});
    const Outcome outcome = run(more);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.out;
  };
  const std::string machine = ask({"BM_hash", "--project", "narrowed"})["series"][0]["fingerprint"];
  std::string near = machine.substr(0, 8);
  near.back() = near.back() == 'x' ? 'y' : 'x';
  EXPECT_THAT(told({"--branch", "mian"}), AllOf(HasSubstr("none that fits --branch mian (did you mean main?)"),
                                                Not(HasSubstr("Did you mean BM_hash"))));
  EXPECT_THAT(told({"--metric", "cpu_tmie"}), HasSubstr("--metric cpu_tmie (did you mean cpu_time?)"));
  EXPECT_THAT(told({"--machine", near}), HasSubstr("(did you mean " + machine.substr(0, 9) + "?)"));
  EXPECT_THAT(told({"--branch", "mian", "--metric", "cpu_tmie"}),
              HasSubstr("--branch mian (did you mean main?) and --metric cpu_tmie (did you mean cpu_time?)"));
  EXPECT_THAT(told({"--chained"}), AllOf(HasSubstr("no two of their commits were measured against each other"),
                                         Not(HasSubstr("Did you mean"))));
  import("narrowed", std::string(40, 'b'), {{ "BM_other", 1 }});
  EXPECT_THAT(run({"history", "--chained", "--project", "narrowed"}).err, HasSubstr("2 series without commits"));
}

TEST_F(HistoryQueries, ABranchStandsBesideItsPointsAndEachIsHeldAgainstTheOneBeforeOnItsOwn) {
  const auto commit = [](char name) { return std::string(40, name); };
  import("beside", commit('a'), {{ "BM_a", 100 }});
  import("beside", commit('b'), {{ "BM_a", 150 }}, "feature");
  import("beside", commit('c'), {{ "BM_a", 101 }});
  const Outcome both = run({"history", "BM_a", "--project", "beside"});
  const std::string text = in_one_line(both.out);
  EXPECT_THAT(text, AllOf(HasSubstr("150 ns feature"), HasSubstr("101 ns +1.00 % main"), Not(HasSubstr("-32")),
                          Not(HasSubstr("+50"))))
      << both.out;
  const json points = ask({"BM_a", "--project", "beside"})["series"][0]["points"];
  EXPECT_EQ(points[0]["branch"], "main");
  EXPECT_EQ(points[1]["branch"], "feature");
  EXPECT_THAT(run({"history", "BM_a", "--project", "beside", "--branch", "main"}).out, Not(HasSubstr("main")))
      << "of one branch the reader knows it";
}

TEST_F(HistoryQueries, OfSeveralRunsOfACommitTheOneIsSaidOrAskedFor) {
  const std::string old_commit(40, 'a'), new_commit(40, 'b');
  const auto compare = [&](const std::string& project, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{"compare", "commit:" + old_commit, "commit:" + new_commit, "--project", project};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  };
  import("several", old_commit, {{ "BM_a", 100 }});
  import("several", new_commit, {{ "BM_a", 130 }});
  EXPECT_THAT(compare("several").out, Not(HasSubstr("is taken")));
  import("several", new_commit, {{ "BM_other", 7 }});  // of another suite, and newer
  const Outcome common = compare("several");
  EXPECT_THAT(in_one_line(common.out), AllOf(HasSubstr("BM_a"), HasSubstr("has 2 runs: run:"),
                                             HasSubstr("is taken, not run:"), Not(HasSubstr("BM_other"))))
      << common.err;
  import("several", old_commit, {{ "BM_other", 7 }});
  const Outcome either = compare("several");
  EXPECT_EQ(either.status, 3) << either.out;
  EXPECT_THAT(either.err,
              AllOf(HasSubstr("runs of several suites"), HasSubstr("name each by its id"), HasSubstr("run:")));
  import("again", old_commit, {{ "BM_a", 100 }});
  import("again", new_commit, {{ "BM_a", 100 }});
  import("again", new_commit, {{ "BM_a", 130 }});
  const json newest = json::parse(compare("again", {"--json"}).out);
  EXPECT_EQ(newest["comparisons"][0]["candidate"], 130);
  EXPECT_THAT(newest["warnings"].dump(), HasSubstr("has 2 runs: run:"));
  EXPECT_THAT(run({"export", "commit:" + new_commit, "--project", "again"}).err, HasSubstr("is taken, not run:"));
}

TEST_F(HistoryQueries, OfACandidateThatIsKeptNowhereTheParentIsKnown) {
  begin_repository();
  for (int day = 1; day <= 9; ++day) measured_commit("nowhere", "day " + std::to_string(day), 100 + day % 3);
  const std::string parent = head();
  const auto gate = [&] {
    write("../new.json", google_benchmark({{"BM_a", 101}}));
    EXPECT_EQ(run({"import", "google-benchmark", "../new.json", "--project", "nowhere", "--commit", "HEAD", "--branch",
                   "work", "--no-store", "--output", "../new.syrun"})
                  .status,
              0);
    return in_one_line(run({"gate", "--against-history", "--run", "../new.syrun", "--project", "nowhere",
                            "--history-branch", "main", "--no-store"})
                           .out);
  };
  commit("child");
  EXPECT_THAT(gate(), HasSubstr("commit " + parent.substr(0, 9) + ", 1 commit before the candidate"));
  commit("grandchild");
  EXPECT_THAT(gate(), AllOf(HasSubstr("the newest older one on this machine; whether the candidate comes of it is not "
                                      "known"),
                            Not(HasSubstr("none is known"))));
}

// A store of two projects with benchmarks of one name, one of them this folder's.
TEST_F(HistoryQueries, ReadersTakeTheProjectThatAWriterHereWouldAndAllTakesEvery) {
  begin_repository();
  const std::string own = repository_->root().filename();
  for (int day = 1; day <= 12; ++day) {
    commit("day " + std::to_string(day));
    import(own, "HEAD", {{ "BM_here", (day > 6 ? 150.0 : 100.0) + day % 3 }});
    import("other project", "HEAD", {{ "BM_there", (day > 6 ? 250.0 : 200.0) + day % 3 }});
  }
  const auto names_in = [](const std::vector<std::string>& words) {
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const bool here = outcome.out.find("BM_here") != std::string::npos;
    const bool there = outcome.out.find("BM_there") != std::string::npos;
    return std::string(here ? "here " : "") + (there ? "there" : "");
  };
  for (const std::vector<std::string>& reader : {std::vector<std::string>{"history"},
                                                 {"history", "--json"},
                                                 {"changes", "--branch", "main"},
                                                 {"changes", "--branch", "main", "--json"},
                                                 {"alerts"},
                                                 {"alerts", "--json"}}) {
    // What `changes` finds opens the alerts that are asked for next.
    const auto with = [&](const std::string& project) {
      std::vector<std::string> words = reader;
      words.insert(words.end(), {"--project", project});
      return words;
    };
    EXPECT_EQ(names_in(reader), "here ") << reader[0];
    EXPECT_EQ(names_in(with("other project")), "there") << reader[0];
    EXPECT_EQ(names_in(with("all")), "here there") << reader[0];
  }
  EXPECT_EQ(names_in({"history", "--changed-in", "HEAD~8..HEAD"}), "here ") << "as the README has it";
  EXPECT_EQ(names_in({"history", "--top-movers"}), "here ");
  const Outcome of_all = run({"history", "--changed-in", "HEAD~8..HEAD", "--project", "all"});
  EXPECT_EQ(of_all.status, 3);
  EXPECT_THAT(of_all.err, HasSubstr("--project"));
  const json exported = json::parse(run({"export", "commit:HEAD"}).out);
  EXPECT_EQ(exported["run"]["project"], own);
}

TEST_F(HistoryQueries, AFolderWithoutRunsOfItsOwnIsToldWhichProjectsThereAre) {
  import("a project", "", {{ "BM_a", 1 }});
  for (const std::vector<std::string>& reader : {std::vector<std::string>{"history"},
                                                 {"history", "--json"},
                                                 {"changes"},
                                                 {"changes", "--fail-on-regression"},
                                                 {"alerts"},
                                                 {"history", "--top-movers"}}) {
    const Outcome outcome = run(reader);
    EXPECT_EQ(outcome.status, 3) << reader[0] << outcome.out;
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("\"below\""), HasSubstr("\"a project\""), HasSubstr("--project all")));
  }
  const Outcome written = run({"import", "../taken.json", "--project", "all"});
  EXPECT_EQ(written.status, 3) << "all is no name to write under";
  EXPECT_THAT(written.err, HasSubstr("every project"));
}

TEST_F(HistoryQueries, ACommitIsWhatGitCallsItHereWhereverOneIsTaken) {
  begin_repository();
  measured_commit("named", "one", 100);
  const std::string first = head();
  git("tag v1");
  measured_commit("named", "two", 101);
  const std::string second = head();
  const auto commit_of = [](const std::string& name) {
    const Outcome outcome = run({"export", "commit:" + name, "--project", "named"});
    EXPECT_EQ(outcome.status, 0) << name << ": " << outcome.err;
    return outcome.out;
  };
  for (const char* name : {"HEAD", "main", "@"}) EXPECT_THAT(commit_of(name), HasSubstr(second));
  for (const std::string& name : {std::string("HEAD~1"), std::string("v1"), first.substr(0, 7)}) {
    EXPECT_THAT(commit_of(name), HasSubstr(first)) << name;
  }
  const Outcome compared = run({"compare", "commit:v1", "commit:HEAD", "--project", "named", "--json"});
  EXPECT_THAT(compared.out, AllOf(HasSubstr(first), HasSubstr(second))) << compared.err;
  commit("not measured");
  const Outcome unknown = run({"compare", "commit:v1", "commit:HEAD", "--project", "named"});
  EXPECT_EQ(unknown.status, 3);
  EXPECT_THAT(unknown.err, HasSubstr("no run of " + head().substr(0, 9) + ", which it means here"));
  std::filesystem::current_path(folder_);
  EXPECT_THAT(commit_of(first.substr(0, 9)), HasSubstr(first)) << "outside of the repository the store knows a hash";
}

TEST_F(HistoryQueries, ARangeThatIsNoneIsRefused) {
  const auto refused = [](std::vector<std::string> words) {
    words.insert(words.begin(), "history");
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.status, 3) << outcome.out;
    return outcome.err;
  };
  EXPECT_THAT(refused({"--changed-in", "HEAD"}), HasSubstr("A..B"));
  EXPECT_THAT(refused({"--changed-in", "a..b", "--top-movers"}), HasSubstr("one of the two"));
  EXPECT_THAT(refused({"BM_a", "--top-movers"}), HasSubstr("--branch, --limit and --after"));
  EXPECT_THAT(refused({"--top-movers", "--archives", "."}), HasSubstr("db rebuild --from"));
  EXPECT_THAT(refused({"--top-movers", "--project", "nobody's"}), HasSubstr("--project"));
}

TEST_F(HistoryQueries, ALoginSeesAndWritesWhatItWasGranted) {
  const storage::EmbeddedServer server = storage::ensure_embedded_running(shared_ / "state").value();
  auto session = storage::Session::connect(server.url, "test");
  ASSERT_TRUE(session) << session.error().text();
  for (const char* statement : {"create database granted encoding 'UTF8' template template0", "create role kate login",
                                "create role nobody_yet login"}) {
    const auto done = session->run_alone(statement);
    ASSERT_TRUE(done) << done.error().text();
  }
  std::string url = server.url;
  url.replace(url.find("/steelyard?"), std::string("/steelyard?").size(), "/granted?");
  const auto url_of = [&](const std::string& login) {
    std::string own = url;
    return own.replace(own.find("steelyard@"), std::string("steelyard").size(), login);
  };
  const auto as = [&](const std::string& login, std::vector<std::string> words) {
    words.insert(words.end(), {"--store", login.empty() ? url : url_of(login)});
    return run(words);
  };
  for (const char* project : {"shop", "bank"}) {
    write("taken.json", google_benchmark({{std::string("BM_") + project, 1}}));
    ASSERT_EQ(as("", {"import", "google-benchmark", "taken.json", "--project", project}).status, 0);
  }
  EXPECT_NE(as("nobody_yet", {"history"}).status, 0) << "who was granted nothing sees nothing";
  const Outcome granted = as("", {"db", "grant", "kate", "--as", "reader", "--project", "shop"});
  ASSERT_EQ(granted.status, 0) << granted.err;
  EXPECT_THAT(granted.err, HasSubstr("kate is now reader of project shop"));
  EXPECT_THAT(as("", {"db", "grant", "--list"}).out, HasSubstr("kate  reader of project shop"));
  const Outcome seen = as("kate", {"history", "--project", "all"});
  EXPECT_EQ(seen.status, 0) << seen.err;
  EXPECT_THAT(seen.out, AllOf(HasSubstr("BM_shop"), Not(HasSubstr("BM_bank"))));
  const Outcome asked = as("kate", {"history", "--project", "bank"});
  EXPECT_EQ(asked.status, 3) << asked.out;
  EXPECT_THAT(asked.err, HasSubstr("wanted one that it has (\"shop\")"))
      << "of what there is, only what may be seen is named";
  write("taken.json", google_benchmark({{"BM_shop", 2}}));
  const Outcome refused = as("kate", {"import", "google-benchmark", "taken.json", "--project", "shop"});
  EXPECT_NE(refused.status, 0) << "a reader adds nothing";
  EXPECT_THAT(as("", {"db", "grant", "kate", "--as", "writer", "--project", "shop"}).err,
              HasSubstr("take that away first: steelyard db grant kate --revoke"));
  ASSERT_EQ(as("", {"db", "grant", "kate", "--revoke"}).status, 0);
  ASSERT_EQ(as("", {"db", "grant", "kate", "--as", "writer", "--project", "shop"}).status, 0);
  EXPECT_EQ(as("kate", {"history", "--project", "shop"}).status, 0);
  EXPECT_THAT(as("kate", {"history", "--project", "all", "--json"}).out, HasSubstr("2.0"))
      << "and what waited is delivered by a writer";
  ASSERT_EQ(as("", {"db", "grant", "kate", "--project", "shop", "--revoke"}).status, 0);
  EXPECT_THAT(as("kate", {"history", "--project", "all"}).out, Not(HasSubstr("BM_shop")));
}

}  // namespace
}  // namespace steelyard::ci::history_queries_test
