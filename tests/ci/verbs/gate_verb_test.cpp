// The gate end to end: commits of a small repository whose "build" copies a program into place.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "bench/counting/count.hpp"
#include "ci/git/repository.hpp"

#include "storage/calibration/calibration_document.hpp"
#include "tests/ci/verbs/gate_repository.hpp"
#include "tests/promised.hpp"

namespace steelyard::ci::gate_verb_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST_F(Gate, FailsOnTheCommitThatIsSlowerAndPassesOnItsRepair) {
  commit("make it slow", "slow");
  const Outcome slower = gate({"--layout", "auto"});
  EXPECT_EQ(slower.status, 1) << slower.err << slower.out;
  EXPECT_THAT(slower.out, AllOf(HasSubstr("BM_varied"), HasSubstr("make it slow"), HasSubstr("1 regression")));
  EXPECT_THAT(slower.err, AllOf(HasSubstr("the first parent"), HasSubstr("building the baseline")));
  commit("repair", "fast");
  const Outcome repaired = gate({"--json", "--layout", "auto"});
  EXPECT_EQ(repaired.status, 0) << repaired.err;
  EXPECT_THAT(repaired.out, AllOf(HasSubstr("\"project\": \"fixture\""), HasSubstr("\"subject\": \"repair\"")));
  EXPECT_THAT(repaired.out, HasSubstr("\"benchmark\": \"BM_varied\"")) << "one program: no suite in the names";
  expect_no_work_trees_left();
}

// "BM_varied" of the fast program is "BM_changing" of the renamed one, which does thirty times the work.
TEST_F(Gate, HoldsARenamedBenchmarkAgainstTheBaselinesByItsEarlierName) {
  commit("rename it, and slow it down", "renamed");
  const Outcome apart = gate();
  EXPECT_THAT(apart.out, AllOf(HasSubstr("missing"), Not(HasSubstr("1 regression"))));
  made_.write("renames", "\n[rename]\n\"BM_varied\" = \"BM_changing\"\n");
  made_.shell("cd '" + made_.root().string() + "' && cat renames >> steelyard.toml && rm renames");
  const Outcome held = gate({"--json", "--archive-dir", "kept"});
  EXPECT_EQ(held.status, 1) << held.err;
  EXPECT_THAT(held.out,
              AllOf(HasSubstr("\"benchmark\": \"BM_changing\""), Not(HasSubstr("\"benchmark\": \"BM_varied"))));
  EXPECT_THAT(held.out, AllOf(HasSubstr("\"verdict\": \"regression\""), HasSubstr("\"test\": \"rounds\"")))
      << "both were measured in the same rounds";
  EXPECT_THAT(held.out, HasSubstr("the candidate's steelyard.toml renames benchmarks"));
  EXPECT_THAT(held.out, AllOf(Not(HasSubstr("\"verdict\": \"missing\"")), Not(HasSubstr("\"verdict\": \"new\""))));
  EXPECT_EQ(run({"verify", "kept"}).status, 0);
  EXPECT_THAT(gate({"--json", "--filter", "changing"}).out, AllOf(HasSubstr("BM_changing"), Not(HasSubstr("BM_same"))))
      << "a filter is of today's names";
}

TEST_F(Gate, CountsARenamedBenchmarkOfBothSides) {
  const auto missing = bench::counting_unavailable(bench::CountOptions{});
  STEELYARD_SKIP_WITHOUT("valgrind", !missing, *missing);
  made_.shell("cd '" + made_.root().string() +
              "' && printf '[rename]\n\"BM_var*\" = \"BM_changing\"\n' >> steelyard.toml");
  commit("say it", "fast");
  commit("rename it", "renamed");
  const Outcome counted =
      gate({"--json", "--counts", "always", "--metric", "instructions", "--rounds", "2", "--filter", "BM_changing"});
  const auto comparison = nlohmann::json::parse(counted.out, nullptr, false);
  ASSERT_TRUE(comparison.is_object()) << counted.out << counted.err;
  EXPECT_EQ(comparison["earlier_names"], nlohmann::json({{"BM_varied", "BM_changing"}}))
      << "the line alone does not say what * stood for";
  bool is_there = false;
  for (const auto& row : comparison["comparisons"]) {
    if (row["benchmark"] != "BM_changing" || row["metric"] != "instructions") continue;
    is_there = true;
    EXPECT_EQ(row["verdict"], "regression") << row;
    EXPECT_NEAR(row["ratio"].get<double>(), 30, 2);
  }
  EXPECT_TRUE(is_there) << counted.out;
}

TEST_F(Gate, MeasuresABenchmarkThatACandidateRenamesInItsFileAloneAgainstAFilterOfTheBaselines) {
  made_.shell("cd '" + made_.root().string() +
              "' && sed -i 's/^rounds = 12/rounds = 12\\nfilter = \"^BM_\"/' steelyard.toml");
  commit("filtered", "fast");
  made_.shell("cd '" + made_.root().string() + "' && printf '[rename]\n\"BM_varied\" = \"zzz\"\n' >> steelyard.toml");
  commit("out of the gate", "slow");
  const Outcome held = gate();
  EXPECT_EQ(held.status, 1) << held.err << held.out;
  EXPECT_THAT(held.out, AllOf(HasSubstr("BM_varied"), HasSubstr("1 regression")));
}

TEST_F(Gate, RefusesARenameToABenchmarkThatIsThereBesideIt) {
  made_.shell("cd '" + made_.root().string() +
              "' && printf '[rename]\n\"BM_same\" = \"BM_varied\"\n' >> steelyard.toml");
  commit("another", "fast");
  EXPECT_EQ(gate().status, 0) << "a line of the candidate alone";
  commit("and another", "fast");
  const Outcome refused = gate();
  EXPECT_EQ(refused.status, 3) << refused.out;
  EXPECT_THAT(refused.err, AllOf(HasSubstr("[rename] \"BM_same\""), HasSubstr("\"BM_varied\""), HasSubstr("both in ")));
}

TEST_F(Gate, RecordsWhereTheTimeOfARegressionWentThatNoCountExplains) {
  commit("spans", "spanned_fast");
  commit("make it slow", "spanned_slow");
  const Outcome slower = gate({"--profile-on-regression", "spans", "--markdown", "report.md", "--archive-dir", "kept"});
  EXPECT_EQ(slower.status, 1) << slower.err << slower.out;
  EXPECT_THAT(slower.out, AllOf(HasSubstr("the time of BM_varied went into turning (x "),
                                HasSubstr("spans/BM_varied.html"), HasSubstr("spans/BM_varied.md")));
  EXPECT_THAT(text_of("report.md"), HasSubstr("spans/BM_varied.html"));
  EXPECT_THAT(text_of("spans/BM_varied.md"),
              AllOf(HasSubstr("6 rounds"), HasSubstr("`turning`"), HasSubstr("regression")));
  EXPECT_TRUE(text_of("spans/BM_varied.html").starts_with("<!doctype html>"));
  EXPECT_THAT(text_of("kept/comparison.json"), HasSubstr("\"outcome\": \"recorded\""));
  EXPECT_FALSE(std::filesystem::exists("spans/BM_same.html"));
}

TEST_F(Gate, RecordsNothingWhereThereIsNoSecondBuild) {
  const Outcome refused = gate({"--against-history", "--profile-on-regression", "spans"});
  EXPECT_EQ(refused.status, 3) << refused.out;
  EXPECT_THAT(refused.err, HasSubstr("--profile-on-regression"));
}

TEST_F(Gate, SaysThatAProgramMakesNoSpans) {
  commit("make it slow", "slow");
  const Outcome slower = gate({"--profile-on-regression", "spans"});
  EXPECT_EQ(slower.status, 1) << slower.err << slower.out;
  EXPECT_THAT(slower.out, AllOf(HasSubstr("the program makes no spans"), HasSubstr("steelyard::bench_main")));
  EXPECT_TRUE(std::filesystem::is_empty("spans"));
}

TEST_F(Gate, WithoutASubmoduleThatNobodyNeedsIsBuiltWhereItCannotBeFetched) {
  made_.write(".gitmodules", "[submodule \"lib\"]\n\tpath = lib\n\turl = /no/such/lib.git\n");
  made_.git("update-index --add --cacheinfo 160000," + std::string(40, '1') + ",lib");
  made_.git("add .gitmodules");
  made_.git("commit --quiet -m 'a library that nobody can fetch'");
  made_.git("commit --quiet --allow-empty -m 'after it'");
  const Outcome refused = gate();
  EXPECT_EQ(refused.status, 3);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("/no/such/lib.git"), HasSubstr("--no-submodules")));
  expect_no_work_trees_left();
  const Outcome option = gate({"--no-submodules"});
  EXPECT_EQ(option.status, 0) << option.err << option.out;
  const std::vector<std::string> commits{"ab", "HEAD~1", "HEAD", "--no-store"};
  EXPECT_THAT(run(commits).err, AllOf(HasSubstr("/no/such/lib.git"), HasSubstr("--no-submodules")));
  std::vector<std::string> without = commits;
  without.emplace_back("--no-submodules");
  const Outcome compared = run(without);
  EXPECT_EQ(compared.status, 0) << compared.err << compared.out;
  std::string text = text_of("steelyard.toml");
  const std::string table = "[build]\n";
  text.insert(text.find(table) + table.size(), "no_submodules = true\n");
  std::ofstream("steelyard.toml") << text;
  const Outcome from_file = gate();
  EXPECT_EQ(from_file.status, 0) << from_file.err << from_file.out;
}

TEST_F(Gate, ATargetThatNobodyMeasuredIsNoPass) {
  std::ofstream("steelyard.toml", std::ios::app) << "[[target]]\nbenchmark = \"gone*\"\ntarget = \"1 GB/s\"\n";
  made_.commit("promise something of a benchmark that is gone");
  const Outcome outcome = gate({"--markdown", "summary.md"});
  EXPECT_EQ(outcome.status, 2) << outcome.err << outcome.out;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("1 target undecided"), HasSubstr("gone*")));
  EXPECT_THAT(text_of("summary.md"), HasSubstr("**Targets**: 1 target undecided"));
}

TEST_F(Gate, ATargetThatTheCandidateMissesFails) {
  commit("keep a promise", "promise_kept");
  commit("promise too much", "promise_broken");
  const Outcome outcome = gate({"--minimum-effect", "90%"});
  EXPECT_EQ(outcome.status, 1) << outcome.err << outcome.out;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("1 target missed"), Not(HasSubstr("regression  "))));
}

TEST_F(Gate, ComparesTheCommitsThatAreNamed) {
  commit("make it slow", "slow");
  commit("still slow", "slow");
  EXPECT_EQ(gate({"--base", "HEAD~2", "--head", "HEAD"}).status, 1);
  EXPECT_EQ(gate({"--base", "HEAD", "--head", "HEAD~2"}).status, 0);
}

TEST_F(Gate, OnAMergeCommitComparesWithItsFirstParent) {
  made_.git("checkout --quiet -b topic");
  commit("make it slow", "slow");
  made_.git("checkout --quiet main");
  made_.write("other", "x");
  made_.commit("elsewhere");
  made_.git("merge --quiet --no-ff -m 'merge topic' topic");
  const Outcome outcome = gate();
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("elsewhere"), HasSubstr("merge topic")));
}

TEST_F(Gate, ShowsTheEndOfABuildThatFails) {
  commit_script("break it", "echo no such header; exit 9");
  const Outcome outcome = gate();
  EXPECT_EQ(outcome.status, 4);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("no such header"), HasSubstr("exited with 9")));
  expect_no_work_trees_left();
}

TEST_F(Gate, HasNothingToJudgeAgainstWhereTheBaselineDoesNotBuild) {
  commit_script("break it", "exit 9");
  commit("fix it", "fast");
  const Outcome outcome = gate();
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("build of the baseline"));
}

TEST_F(Gate, RefusesABaselineThatIsUnknownAndAFirstCommit) {
  EXPECT_EQ(gate({"--base", "nowhere"}).status, 3);
  const Outcome first = gate();
  EXPECT_EQ(first.status, 3) << "a first commit has no parent";
  const std::string sha = *GitRepository::find(made_.root())->resolve("HEAD");
  EXPECT_THAT(first.err, AllOf(HasSubstr("found no parent of " + sha.substr(0, 9) + ", "), HasSubstr("--base COMMIT"),
                               Not(HasSubstr("HEAD^1"))));
}

TEST_F(Gate, TellsAProgramThatTheBuildDoesNotMakeFromOneThatTheCandidateLost) {
  commit("again", "fast");
  EXPECT_EQ(gate({"--bench", "out/other"}).status, 3) << "neither side has it: the path is wrong";
  commit_script("lose it", "mkdir -p out");
  EXPECT_EQ(gate().status, 4) << "the candidate's build does not make it any more";
}

TEST_F(Gate, CallsTheBenchmarksOfANewProgramNew) {
  commit_script("no program yet", "true");
  commit("add it", "fast");
  const Outcome outcome = gate({"--json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("\"verdict\": \"new\""));
}

// The baseline has the marks of a Google Benchmark program, and ends before it can say anything.
TEST_F(Gate, ThatCannotAskTheBaselinesProgramIsNotTheCandidatesFailure) {
  const std::string broken =
      "mkdir -p out && printf '#!/bin/sh\\n# benchmark_list_tests\\nkill -SEGV $$\\n' > out/bench && chmod +x "
      "out/bench";
  commit_script("broken", broken);
  commit("fixed", "fast");
  const Outcome fixed = gate({"--json"});
  EXPECT_EQ(fixed.status, 2) << fixed.err << fixed.out;
  EXPECT_THAT(fixed.out, HasSubstr("the baseline failed"));
  commit_script("broken again", broken);
  EXPECT_EQ(gate().status, 4);
}

TEST_F(Gate, JudgesTheOtherProgramsBesideANewOneThatIsListedFirst) {
  commit_script("one program", "mkdir -p out && cp '" + fixture("fast") + "' out/second");
  made_.write("steelyard.toml",
              text_of(made_.root() / "steelyard.toml") + "[[program]]\nname = \"second\"\ncommand = \"out/second\"\n");
  commit_script("two programs",
                "mkdir -p out && cp '" + fixture("fast") + "' out/bench && cp '" + fixture("slow") + "' out/second");
  const Outcome outcome = gate({"--json"});
  EXPECT_EQ(outcome.status, 1) << outcome.err << outcome.out;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("\"verdict\": \"new\""), HasSubstr("\"verdict\": \"regression\"")));
}

TEST_F(Gate, KeepsSeveralProgramsApartByTheirNames) {
  const std::string toml = text_of(made_.root() / "steelyard.toml") +
                           "[[program]]\nname = \"second\"\ncommand = \"out/bench --benchmark_filter=same\"\n";
  made_.write("steelyard.toml", toml);
  commit("two programs", "fast");
  commit("slow", "slow");
  const Outcome outcome = gate({"--json", "--rounds", "20"});  // twelve rounds are few for three rows beside other work
  EXPECT_EQ(outcome.status, 1) << outcome.err << outcome.out;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("BM_varied [suite=bench]"), HasSubstr("BM_same [suite=bench]"),
                                 HasSubstr("BM_same [suite=second]"), Not(HasSubstr("BM_varied [suite=second]"))));
}

TEST_F(Gate, JudgesByTheBaselinesPolicyAndSaysWhatTheCandidateWouldHaveChanged) {
  const std::string file = text_of("steelyard.toml");
  made_.write("steelyard.toml", file.substr(0, file.find("[policy]")) +
                                    "[policy]\nminimum_effect = \"99%\"\nmetrics = [\"instructions\"]\n");
  commit("make it slow and loosen the gate", "slow");
  const Outcome outcome = gate();
  EXPECT_EQ(outcome.status, 1) << outcome.err << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("1 regression"));
  EXPECT_THAT(outcome.out, HasSubstr("steelyard.toml is another one in the candidate; the baseline's holds:"));
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("minimum_effect"), Not(HasSubstr("read of the work tree"))));
  made_.write("steelyard.toml", text_of("steelyard.toml") + "# not committed\n");
  const Outcome called = gate({"--metric", "instructions"});
  EXPECT_EQ(called.status, 2) << "who calls the program has the last word: " << called.out;
  EXPECT_THAT(called.out, AllOf(HasSubstr("steelyard.toml is another one in the work tree; the baseline's holds:"),
                                HasSubstr("the candidate's steelyard.toml is read of the work tree, and")));
}

TEST_F(Gate, IsJudgedByTheBaselinesCalibrationWhateverTheCandidateHasInItsPlace) {
  const auto calibrated = [](const std::string& fingerprint) {
    Calibration calibration;
    calibration.fingerprint = fingerprint;
    return storage::calibration_document(calibration);
  };
  made_.write("steelyard.toml", text_of("steelyard.toml") + "calibration = \"ci/runner.json\"\n");
  made_.write("ci/runner.json", calibrated("ours"));
  commit("calibrate", "fast");
  made_.write("ci/runner.json", calibrated("theirs"));
  commit("widen every margin", "fast");
  const std::filesystem::path of_commits = folder_ / "state/calibrations";
  const auto two_weeks_ago = std::filesystem::file_time_type::clock::now() - std::chrono::hours(14 * 24);
  for (const char* const name : {"of-commit-0123456789abcdef.json", "own.json"}) {
    std::filesystem::create_directories(of_commits);
    write(of_commits / name, "{}");
    std::filesystem::last_write_time(of_commits / name, two_weeks_ago);
  }
  const Outcome outcome = gate({"--rounds", "2", "--json"});
  EXPECT_FALSE(std::filesystem::exists(of_commits / "of-commit-0123456789abcdef.json")) << "no gate asks for it";
  EXPECT_TRUE(std::filesystem::exists(of_commits / "own.json"));
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("ci/runner.json is another one in the candidate; the baseline's holds"),
                                 HasSubstr("it is of machine ours,"), Not(HasSubstr("machine theirs"))))
      << outcome.err;
  // Where nothing can be written into the state folder either.
  write(folder_ / "file", "");
  use_state(folder_ / "file");
  const Outcome stateless = gate({"--rounds", "2", "--json"});
  use_state(folder_ / "state");
  EXPECT_THAT(stateless.out, HasSubstr("it is of machine ours,")) << stateless.err;
  made_.git("rm --quiet ci/runner.json");
  commit("take it away", "fast");
  made_.write("ci/runner.json", calibrated("theirs"));
  commit("bring another", "fast");
  const Outcome brought = gate({"--rounds", "2", "--json"});
  EXPECT_THAT(brought.out, AllOf(HasSubstr("the baseline names ci/runner.json and has no such file"),
                                 Not(HasSubstr("machine theirs"))))
      << brought.err;
  made_.git("rm --quiet ci/runner.json");
  commit("take that away too", "fast");
  made_.write("evil/runner.json", calibrated("theirs"));
  std::filesystem::create_directory_symlink("evil", made_.root() / "ci");
  commit("bring it by a link", "fast");
  const Outcome linked = gate({"--rounds", "2", "--json"});
  EXPECT_THAT(linked.out, AllOf(HasSubstr("the baseline names ci/runner.json and has no such file"),
                                Not(HasSubstr("machine theirs"))))
      << linked.err;
}

// The runner's own file lies where the baseline's steelyard.toml has it, and not below one that the candidate puts
// nearer to where the gate is called.
TEST_F(Gate, TakesNoCalibrationFromBesideAnotherFileOfTheCandidate) {
  made_.write("steelyard.toml", text_of("steelyard.toml") + "calibration = \"ci/runner.json\"\n");
  made_.write(".gitignore", "/ci/\n");
  commit("the runner has a calibration", "fast");
  Calibration calibration;
  calibration.fingerprint = "ours";
  made_.write("ci/runner.json", storage::calibration_document(calibration));
  calibration.fingerprint = "theirs";
  made_.write("part/ci/runner.json", storage::calibration_document(calibration));
  made_.write("part/steelyard.toml", text_of("steelyard.toml"));
  commit("bring another", "fast");
  std::filesystem::current_path("part");
  const Outcome outcome = gate({"--rounds", "2", "--json"});
  std::filesystem::current_path("..");
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("it is of machine ours,"), Not(HasSubstr("machine theirs")))) << outcome.err;
}

// The gate of a folder looks for its file upwards: one that is nearer, or taken away, would be another policy.
TEST_F(Gate, IsJudgedByTheBaselinesFileWhereverTheCandidateHasOrLacksOne) {
  const std::string file = text_of("steelyard.toml");
  const std::string loose = file.substr(0, file.find("[policy]")) + "[policy]\nminimum_effect = \"99%\"\n";
  const auto expect_judged_by_baseline = [this](const std::string& subject) {
    commit(subject, "slow");
    std::filesystem::current_path("part");
    const Outcome outcome = gate({"--json", "--rounds", "2"});
    std::filesystem::current_path("..");
    EXPECT_THAT(outcome.out, HasSubstr("\"minimum_effect\": 0.5")) << subject << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("the baseline's holds: [policy] minimum_effect")) << subject;
  };
  made_.write("part/steelyard.toml", loose);
  expect_judged_by_baseline("put a looser file nearer");

  made_.write("part/steelyard.toml", file);
  std::filesystem::remove("steelyard.toml");
  commit("keep the file beside the part", "fast");
  std::filesystem::remove("part/steelyard.toml");
  made_.write("part/kept", "");
  made_.write("steelyard.toml", loose);
  expect_judged_by_baseline("put a looser file elsewhere");
}

TEST_F(Gate, WhatACommitAcceptsFailsNothingAndIsToldWithWhoAndWhy) {
  const auto accepting = [this](const std::string& program, const std::string& trailer) {
    made_.write("build.sh", "mkdir -p out && cp '" + fixture(program) + "' out/bench\n");
    made_.commit("change it\n\nPerf-accept: " + trailer);
  };
  // It holds before whatever the file says of those benchmarks.
  std::string file = text_of("steelyard.toml");
  file.replace(file.find("[policy]"), 8, "[[policy]]");
  made_.write("steelyard.toml", file + "[[policy]]\nmatch = \"BM_*\"\ngates = [\"real_time\"]\n");
  made_.commit("gate time by pattern");
  accepting("slow", "BM_var* the checksum is worth it");
  const Outcome outcome = gate();
  EXPECT_EQ(outcome.status, 0) << outcome.err << outcome.out;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("regression"), HasSubstr("accepted, so that it fails nothing: \"BM_var*\""),
                                 HasSubstr("the checksum is worth it")));
  EXPECT_EQ(gate({"--no-accept-trailers"}).status, 1);
  commit("again", "fast");
  accepting("slow", "BM_other another one");
  const Outcome other = gate();
  EXPECT_EQ(other.status, 1) << "what was accepted is not this one: " << other.out;
  EXPECT_THAT(other.out, AllOf(HasSubstr("accepts nothing, as no benchmark here matches"), HasSubstr("\"BM_other\""),
                               Not(HasSubstr("accepted, so that")), Not(HasSubstr("matches the policy"))));
  EXPECT_EQ(gate({"--accept", "BM_varied a label of the pull request"}).status, 0);
  const Outcome unclear = gate({"--accept", "BM_varied"});
  EXPECT_EQ(unclear.status, 3);
  EXPECT_THAT(unclear.err, HasSubstr("no reason"));
}

TEST_F(Gate, MeasuresWhatTheCandidatesFileNoLongerNames) {
  made_.write("steelyard.toml",
              "[project]\nname = \"fixture\"\n[build]\ncommand = \"sh build.sh\"\n[[program]]\nname = \"other\"\n"
              "command = \"out/bench\"\n");
  commit("make it slow under another name", "slow");
  const Outcome outcome = gate({"--json"});
  EXPECT_EQ(outcome.status, 1) << outcome.err << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("suite=bench"));
}

TEST_F(Gate, RunsAProgramByTheBaselinesCommand) {
  const std::string file = text_of("steelyard.toml");
  std::string filtered = file;
  filtered.replace(filtered.find("out/bench"), 9, "out/bench --benchmark_filter=none");
  made_.write("steelyard.toml", filtered);
  commit("make it slow and leave it out", "slow");
  const Outcome outcome = gate();
  EXPECT_EQ(outcome.status, 1) << outcome.err << outcome.out;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("[[program]]"), HasSubstr("benchmark_filter=none")));
}

TEST_F(Gate, FollowsNoLinkThatTheCandidateMadeOfItsFile) {
  const std::string file = text_of("steelyard.toml");
  std::ofstream(made_.folder() / "loose.toml")
      << file.substr(0, file.find("[policy]")) << "[policy]\nmetrics = [\"instructions\"]\n";
  std::filesystem::remove("steelyard.toml");
  std::filesystem::create_symlink(made_.folder() / "loose.toml", "steelyard.toml");
  commit("make it slow and judge it by a file elsewhere", "slow");
  const Outcome outcome = gate();
  EXPECT_EQ(outcome.status, 1) << outcome.err << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("steelyard.toml is another one in the candidate"));
}

TEST_F(Gate, OfTheFirstFileSaysThatTheCandidateIsJudgedByItsOwn) {
  const std::string file = text_of("steelyard.toml");
  made_.git("rm --quiet steelyard.toml");
  made_.commit("no file");
  made_.write("steelyard.toml", file);
  made_.commit("the first file");
  const Outcome outcome = gate();
  EXPECT_EQ(outcome.status, 0) << outcome.err << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("the baseline has no steelyard.toml: the candidate is judged by its own"));
}

TEST_F(Gate, AbTakesCommitsTheSameWay) {
  commit("make it slow", "slow");
  const Outcome outcome = run({"ab", "HEAD^1", "HEAD", "--no-store", "--build", "sh build.sh", "--bench",
                               "out/bench --benchmark_filter=varied"});
  EXPECT_EQ(outcome.status, 1) << outcome.err << outcome.out;
  EXPECT_THAT(outcome.out, Not(HasSubstr("BM_same")));
  expect_no_work_trees_left();
}

TEST_F(Gate, RefusesToExplainWhatNeitherBuildHasBeforeAnythingIsMeasured) {
  commit("make it slow", "slow");
  const Outcome outcome = gate({"--explain", "BM_nope"});
  EXPECT_EQ(outcome.status, 3) << outcome.out;
  EXPECT_EQ(outcome.out, "") << "there is nothing to report";
  EXPECT_THAT(outcome.err, HasSubstr("--explain: found \"BM_nope\""));
}

TEST_F(Gate, SaysThatChangesWhichAreNotCommittedAreNotMeasured) {
  commit("again", "fast");
  made_.write("build.sh", "exit 1\n");
  const Outcome outcome = gate();
  EXPECT_EQ(outcome.status, 0) << outcome.err << outcome.out;
  EXPECT_THAT(outcome.err, HasSubstr("not committed"));
}

}  // namespace
}  // namespace steelyard::ci::gate_verb_test
