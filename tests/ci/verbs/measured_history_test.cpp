// gate --against-history that measures the head itself, and the parent that was measured together with a run.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <map>

#include <nlohmann/json.hpp>

#include "tests/ci/git/temporary_repository.hpp"
#include "tests/ci/verbs/shared_store.hpp"

namespace steelyard::ci::measured_history_test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

class MeasuredHistory : public SharedStore {
 protected:
  void start(const std::string& project, const std::string& rounds) {
    std::filesystem::current_path(made_.root());
    made_.write("steelyard.toml", "[project]\nname = \"" + project +
                                      "\"\n[build]\ncommand = \"sh build.sh\"\n[[program]]\nname = \"bench\"\n"
                                      "command = \"out/bench\"\n[run]\nmin_time = \"1ms\"\nrounds = " +
                                      rounds +
                                      "\nlayout = \"interleaved\"\ncounts = \"never\"\n"
                                      // The slow program does thirty times the work, and other programs' load is no
                                      // part of a process's own time: noise cannot decide these tests.
                                      "[policy]\nminimum_effect = 0.5\nmetrics = [\"cpu_time\"]\n");
  }
  // A commit whose build puts that fixture program into out/bench.
  void commit(const std::string& subject, const std::string& program) {
    commit_script(subject, "mkdir -p out && cp '" + fixture(program) + "' out/bench");
  }
  void commit_script(const std::string& subject, const std::string& script) {
    made_.write("build.sh", script + "\n# " + subject + "\n");
    made_.commit(subject);
  }
  static Outcome gate(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"gate", "--against-history"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
  // "comparison:" and the id under which a gate says that it keeps its verdict.
  static std::string kept_by(const Outcome& outcome) {
    const std::string prefix = "comparison:";
    const std::size_t at = outcome.err.find(prefix);
    return at == std::string::npos ? "none" : outcome.err.substr(at, prefix.size() + 12);
  }
  TemporaryRepository made_;
};

TEST_F(MeasuredHistory, LeavesWhatEndedItForWhoeverPublishes) {
  start("ends", "2");
  commit_script("does not build", "echo bench.cpp:3: no such thing >&2; exit 1");
  const Outcome failed = gate({"--archive-dir", "kept", "--markdown", "summary.md"});
  EXPECT_EQ(failed.status, 4) << failed.err;
  std::ifstream file("kept/ended.json");
  const json ended = json::parse(file);
  EXPECT_EQ(ended["status"], 4) << ended.dump();
  EXPECT_THAT(ended["text"].get<std::string>(), HasSubstr("bench.cpp:3: no such thing"));
  EXPECT_TRUE(std::filesystem::exists("summary.md"));
}

TEST_F(MeasuredHistory, BuildsAndMeasuresTheHeadAloneAndHoldsItAgainstTheOccasionsBefore) {
  start("alone", "4");
  commit("day 0", "fast");
  const Outcome first = gate();
  EXPECT_EQ(first.status, 2) << first.out << first.err;
  EXPECT_THAT(first.out, AllOf(HasSubstr("incomparable"), HasSubstr("no baseline")));
  EXPECT_THAT(first.err, AllOf(HasSubstr("building"), HasSubstr("the history of branch main")));
  const Outcome without_baseline = run({"verify", kept_by(first)});
  EXPECT_EQ(without_baseline.status, 0) << without_baseline.out << without_baseline.err;
  EXPECT_THAT(without_baseline.out, HasSubstr("none on this machine"));
  // Up to 7 occasions are too few to be judged by, however busy this machine is; the eighth is enough.
  for (int day = 1; day < 8; ++day) {
    commit("day " + std::to_string(day), "fast");
    const Outcome outcome = gate();
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("inconclusive"));
  }
  commit("make it slow", "slow");
  const Outcome slower = gate({"--json", "--archive-dir", "kept", "--explain", "BM_varied"});
  EXPECT_EQ(slower.status, 1) << slower.out << slower.err;
  const json report = json::parse(slower.out);
  EXPECT_EQ(report["candidate"]["project"], "alone");
  bool found = false;
  for (const json& row : report["comparisons"]) {
    if (row["benchmark"] != "BM_varied") continue;
    found = true;
    EXPECT_EQ(row["verdict"], "regression") << row["reason"];
    EXPECT_EQ(row["test"], "history");
    EXPECT_GT(row["ratio"], 5);
  }
  EXPECT_TRUE(found);
  EXPECT_TRUE(std::filesystem::exists("kept/candidate.syrun"));
  const Outcome from_files = run({"verify", "kept"});
  EXPECT_EQ(from_files.status, 0) << from_files.out << from_files.err;
  const Outcome from_store = run({"verify", kept_by(slower)});
  EXPECT_EQ(from_store.status, 0) << "later days change nothing: " << from_store.out << from_store.err;
  EXPECT_FALSE(std::filesystem::exists(made_.root() / ".git/worktrees"));
  EXPECT_EQ(gate({"--bench", "/bin/true"}).status, 3) << "a file that is the same in every work tree";
  commit_script("break it", "echo no such header; exit 9");
  const Outcome broken = gate();
  EXPECT_EQ(broken.status, 4);
  EXPECT_THAT(broken.err, HasSubstr("no such header"));
}

TEST_F(MeasuredHistory, AFilterExcludesProgramsWithoutAMatchAndWhatTheHistoryHasBesideThem) {
  start("filtered", "2");
  made_.write("steelyard.toml", text_of("steelyard.toml") + "[[program]]\nname = \"other\"\ncommand = \"out/other\"\n");
  const auto commit_both = [&](const std::string& subject, const std::string& bench) {
    commit_script(subject,
                  "mkdir -p out && cp '" + fixture(bench) + "' out/bench && cp '" + fixture("renamed") + "' out/other");
  };
  const auto verdicts = [](const Outcome& outcome) {
    std::map<std::string, std::string> found;
    const json report = json::parse(outcome.out);
    for (const json& row : report["comparisons"]) found[row["benchmark"]] = row["verdict"];
    return found;
  };
  commit_both("day 0", "fast");
  const Outcome whole = gate({"--json"});
  ASSERT_EQ(verdicts(whole).size(), 4U) << whole.out << whole.err;
  commit_both("day 1", "fast");
  const Outcome filtered = gate({"--json", "--filter", "BM_varied", "--archive-dir", "kept"});
  EXPECT_EQ(filtered.status, 0) << filtered.out << filtered.err;
  EXPECT_EQ(verdicts(filtered), (std::map<std::string, std::string>{{"BM_varied [suite=bench]", "inconclusive"}}));
  const std::string warnings = json::parse(filtered.out)["warnings"].dump();
  EXPECT_THAT(warnings, AllOf(HasSubstr("\\\"other\\\" is excluded: no benchmark of it matches"),
                              HasSubstr("3 benchmarks of the history excluded")));
  for (const std::string& kept : {std::string("kept"), kept_by(filtered)}) {
    const Outcome verified = run({"verify", kept});
    EXPECT_EQ(verified.status, 0) << verified.out << verified.err;
  }
  EXPECT_EQ(gate({"--filter", "BM_nothing"}).status, 3) << "no program has one";
  EXPECT_FALSE(verdicts(gate({"--json", "--filter", "-BM_same$"})).contains("BM_same [suite=bench]"));
  // What the filter names is missing where it was lost.
  commit_both("lose it", "renamed");
  const Outcome lost = gate({"--json", "--filter", "BM_(varied|changing)"});
  EXPECT_EQ(lost.status, 2) << lost.out << lost.err;
  EXPECT_EQ(verdicts(lost)["BM_varied [suite=bench]"], "missing");
  EXPECT_FALSE(verdicts(lost).contains("BM_same [suite=bench]"));
}

TEST_F(MeasuredHistory, IsJudgedByTheBaselinesPolicyAndSaysWhatTheCandidateWouldHaveChanged) {
  start("loosened", "4");
  commit("day 0", "fast");
  std::string text = text_of("steelyard.toml");
  text.replace(text.find("minimum_effect = 0.5"), 20, "minimum_effect = \"99%\"");
  made_.write("steelyard.toml", text + "[gate]\nhistory_branch = \"mine\"\n");
  commit("loosen the gate", "fast");
  const Outcome outcome = gate({"--json"});
  ASSERT_TRUE(outcome.status == 0 || outcome.status == 2) << outcome.err;
  const json report = json::parse(outcome.out);
  EXPECT_EQ(report["policy"]["minimum_effect"], 0.5);
  EXPECT_THAT(report["warnings"].dump(), AllOf(HasSubstr("steelyard.toml is another one in the candidate"),
                                               HasSubstr("minimum_effect"), HasSubstr("history_branch")));
  EXPECT_THAT(outcome.err, HasSubstr("the history of branch main"));
  const Outcome by_option = gate({"--json", "--minimum-effect", "70%"});
  EXPECT_EQ(json::parse(by_option.out)["policy"]["minimum_effect"], 0.7) << "who calls it has the last word";
  // A run that was measured before, in the checkout of a pull request and in one of one's own.
  const std::string run = "run:" + report["candidate"]["id"].get<std::string>();
  ::setenv("GITHUB_BASE_REF", "main", 1);
  const Outcome pull_request = gate({"--json", "--run", run});
  ::unsetenv("GITHUB_BASE_REF");
  EXPECT_EQ(json::parse(pull_request.out)["policy"]["minimum_effect"], 0.5) << pull_request.err;
  EXPECT_EQ(json::parse(gate({"--json", "--run", run}).out)["policy"]["minimum_effect"], 0.99);
}

TEST_F(MeasuredHistory, PrefersTheParentThatWasMeasuredTogetherWithTheRun) {
  start("beside", "12");
  commit("start", "fast");
  commit("make it slow", "slow");
  const Outcome measured = run({"gate", "--json"});
  EXPECT_EQ(measured.status, 1) << measured.out << measured.err;
  const std::string candidate = json::parse(measured.out)["candidate"]["id"];
  const Outcome again = gate({"--json", "--run", "run:" + candidate});
  EXPECT_EQ(again.status, 1) << again.out << again.err;
  EXPECT_THAT(again.err, HasSubstr("measured together with the candidate"));
  const json report = json::parse(again.out);
  for (const json& row : report["comparisons"]) EXPECT_NE(row["test"], "history");
  EXPECT_NE(report["comparisons"][0]["layout"], "separate");
  EXPECT_EQ(report["baseline"]["subject"], "start");
}

TEST_F(MeasuredHistory, OfTwoFilesThatBelongToNoCommitIsKeptAndOpensNoAlert) {
  start("files", "12");
  const Outcome measured = run({"ab", fixture("fast"), fixture("slow"), "--json"});
  EXPECT_EQ(measured.status, 1) << measured.out << measured.err;
  EXPECT_THAT(kept_by(measured), HasSubstr("comparison:"));
  EXPECT_EQ(run({"verify", kept_by(measured)}).status, 0);
  EXPECT_TRUE(json::parse(run({"alerts", "--all", "--json", "--project", "files"}).out)["alerts"].empty());
}

// As a runner has them: two requests that branch off one commit, each with a job of its own.
TEST_F(MeasuredHistory, AlertsOfTwoRequestsGatesAreTwoAndEachIsEndedByItsOwn) {
  start("requests", "12");
  commit("base", "fast");
  const auto gate_of = [this](const std::string& number, const std::string& program) {
    made_.git("checkout --quiet --detach main");
    commit("of request " + number + ": " + program, program);
    ::setenv("GITHUB_BASE_REF", "main", 1);
    ::setenv("GITHUB_HEAD_REF", "patch-1", 1);  // both forks' editors call it so
    ::setenv("GITHUB_REF", ("refs/pull/" + number + "/merge").c_str(), 1);
    // Two fast builds are shown unchanged whatever the noise.
    const Outcome outcome = run({"gate", "--json", "--margin", "0.9"});
    for (const char* name : {"GITHUB_BASE_REF", "GITHUB_HEAD_REF", "GITHUB_REF"}) ::unsetenv(name);
    return outcome;
  };
  const auto standing = [] {
    const json alerts = json::parse(run({"alerts", "--all", "--json", "--project", "requests"}).out)["alerts"];
    std::map<std::string, std::string> states;
    for (const json& alert : alerts) {
      EXPECT_TRUE(states.emplace(alert["branch"], alert["state"]).second) << alerts;
      EXPECT_GT(alert["ratio"], alert["state"] == "open" ? 10 : 0) << alerts;
      EXPECT_LT(alert["ratio"], alert["state"] == "open" ? 60 : 2) << "not of both together: " << alerts;
    }
    return states;
  };
  for (const char* number : {"7", "8"}) {
    const Outcome outcome = gate_of(number, "slow");
    EXPECT_EQ(outcome.status, 1) << outcome.out << outcome.err;
    EXPECT_EQ(json::parse(outcome.out)["candidate"]["branch"], nullptr);
  }
  EXPECT_EQ(standing(), (std::map<std::string, std::string>{{"request:7", "open"}, {"request:8", "open"}}));
  EXPECT_EQ(gate_of("8", "fast").status, 0);
  EXPECT_EQ(standing(), (std::map<std::string, std::string>{{"request:7", "open"}, {"request:8", "resolved"}}));
}

}  // namespace
}  // namespace steelyard::ci::measured_history_test
