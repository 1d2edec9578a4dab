// run and ab end to end, with real programs, without the store. What differs between the sides differs thirtyfold, so
// that no machine's noise can hide it.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "bench/counting/count.hpp"
#include "tests/ci/git/temporary_repository.hpp"
#include "tests/ci/verbs/program_under_test.hpp"
#include "tests/promised.hpp"

namespace steelyard::ci::measuring_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Measuring : public ProgramUnderTest {
 protected:
  static std::vector<std::string> quick(std::vector<std::string> arguments) {
    const bool judges = arguments.front() == "ab";
    arguments.insert(arguments.begin() + 1, {"--no-store", "--min-time", "1ms", "--rounds", "12", "--counts", "never"});
    // The slow program does thirty times the work: noise cannot decide these tests.
    if (judges) arguments.insert(arguments.begin() + 1, {"--minimum-effect", "50%"});
    // Trying both layouts takes two thirds of all processes: one test of these has it.
    if (judges && std::find(arguments.begin(), arguments.end(), "--layout") == arguments.end()) {
      arguments.insert(arguments.begin() + 1, {"--layout", "interleaved"});
    }
    return arguments;
  }
};

TEST_F(Measuring, AbFindsThePlantedSlowdownAndOnlyThat) {
  const Outcome outcome =
      run(quick({"ab", fixture("fast"), fixture("slow"), "--json", "--seed", "7", "--layout", "auto"}));
  EXPECT_EQ(outcome.status, 1) << outcome.err << outcome.out;
  const std::size_t same = outcome.out.find("\"benchmark\": \"BM_same\"");
  const std::size_t varied = outcome.out.find("\"benchmark\": \"BM_varied\"");
  ASSERT_NE(same, std::string::npos);
  ASSERT_NE(varied, std::string::npos);
  EXPECT_THAT(outcome.out.substr(varied), HasSubstr("\"verdict\": \"regression\""));
  EXPECT_THAT(outcome.out.substr(same, varied - same), Not(HasSubstr("\"verdict\": \"missing\"")));
  EXPECT_THAT(outcome.out, HasSubstr("\"seed\": 7"));
}

// Counting cannot look into a script, and what it does about that follows from what the listing found.
TEST_F(Measuring, AbAsksEachProgramOnceForItsBenchmarksAndOnceForWhatNoneOfThemMatches) {
  const Outcome outcome = run({"ab", noting("old", "fast"), noting("new", "slow"), "--no-store", "--min-time", "1ms",
                               "--rounds", "12", "--layout", "interleaved", "--minimum-effect", "50%"});
  EXPECT_EQ(outcome.status, 1) << outcome.err << outcome.out;
  for (const char* asked : {"old.asked", "new.asked"}) EXPECT_EQ(text_of(asked), "\n\n") << asked << outcome.err;
}

TEST_F(Measuring, AbRefusesToExplainWhatNeitherProgramHasBeforeAnythingIsMeasured) {
  const Outcome unknown = run(quick({"ab", noting("old", "fast"), noting("new", "slow"), "--explain", "BM_vareid"}));
  EXPECT_EQ(unknown.status, 3) << unknown.out;
  EXPECT_EQ(unknown.out, "") << "there is nothing to report";
  EXPECT_THAT(unknown.err, HasSubstr("--explain: found \"BM_vareid\", wanted a part of a benchmark's name, or all; "
                                     "did you mean BM_varied?"));
  for (const char* asked : {"old.asked", "new.asked"}) EXPECT_EQ(text_of(asked), "\n\n") << asked;
  const Outcome renamed = run(quick({"ab", fixture("fast"), fixture("renamed"), "--explain", "changing"}));
  EXPECT_THAT(renamed.out, HasSubstr("why BM_changing")) << "one side alone has it" << renamed.err;
}

TEST_F(Measuring, OfAProgramWithoutOptimizationIsWarnedOf) {
  constexpr const char* kSaid = "the program was built without optimization (-O0)";
  const Outcome both = run({"ab", fixture("unoptimized"), fixture("unoptimized"), "--no-store", "--json", "--rounds",
                            "2", "--counts", "never", "--min-time", "1ms", "--layout", "interleaved"});
  EXPECT_THAT(both.out, HasSubstr(std::string("on both sides ") + kSaid)) << both.err;
  const Outcome alone = run(
      {"run", "--no-store", "--rounds", "2", "--counts", "never", "--min-time", "1ms", "--", fixture("unoptimized")});
  EXPECT_THAT(alone.err, HasSubstr(kSaid));
}

TEST_F(Measuring, AbOfTheSidesExchangedIsAnImprovement) {
  const Outcome outcome = run(quick({"ab", fixture("slow"), fixture("fast"), "--filter", "varied"}));
  EXPECT_EQ(outcome.status, 0) << outcome.err << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("1 improvement"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("BM_same")));
}

TEST_F(Measuring, AbOfACandidateThatCrashesExitsWithFourAndShowsTheRest) {
  const Outcome outcome = run(quick({"ab", fixture("fast"), fixture("crash")}));
  EXPECT_EQ(outcome.status, 4) << outcome.err << outcome.out;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("BM_same"), HasSubstr("BM_varied"), HasSubstr("failed")));
}

TEST_F(Measuring, WhatBothSidesSkipFailsNothingUnlessThePolicyForbidsIt) {
  const auto judged = [&](const std::string& baseline, const std::string& candidate, std::vector<std::string> more) {
    std::vector<std::string> arguments{"ab", fixture(baseline), fixture(candidate), "--margin", "90%"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(quick(arguments));
  };
  const Outcome both = judged("skip", "skip", {"--markdown", "report.md", "--archive-dir", "kept"});
  EXPECT_EQ(both.status, 0) << both.err << both.out;
  EXPECT_THAT(both.out, AllOf(HasSubstr("1 skipped"), HasSubstr("both sides skipped it with an error: no AVX10 here")));
  EXPECT_THAT(text_of("report.md"), AllOf(HasSubstr("**skipped** `BM"), HasSubstr("no AVX10 here")));
  const Outcome again = run({"compare", "kept/baseline.syrun", "kept/candidate.syrun", "--margin", "90%"});
  EXPECT_THAT(again.out, HasSubstr("1 skipped")) << "an archive knows it for a skip";
  EXPECT_EQ(judged("skip", "skip", {"--forbid-skips"}).status, 2);
  const Outcome lost = judged("fast", "skip", {});
  EXPECT_EQ(lost.status, 2) << lost.out;
  EXPECT_THAT(lost.out, AllOf(HasSubstr("1 missing"), HasSubstr("the candidate skipped it with an error")));
  const Outcome found = judged("skip", "fast", {});
  EXPECT_EQ(found.status, 0) << found.out;
  EXPECT_THAT(found.out, AllOf(HasSubstr("1 new"), HasSubstr("the baseline skipped it with an error: no AVX10 here")));
}

TEST_F(Measuring, RunOfABenchmarkThatSkipsItselfSaysSoAndIsNoFailure) {
  const Outcome outcome = run(quick({"run", "--", fixture("skip")}));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("skipped"), HasSubstr("no AVX10 here"), Not(HasSubstr("failed"))));
  write("steelyard.toml", "[policy]\nforbid_skips = true\n");
  EXPECT_EQ(run(quick({"run", "--", fixture("skip")})).status, 2);
}

TEST_F(Measuring, ArgumentsAfterTheDashesReachBothPrograms) {
  const Outcome outcome =
      run(quick({"ab", fixture("fast"), fixture("fast"), "--json", "--", "--benchmark_filter=same"}));
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("BM_same"), Not(HasSubstr("BM_varied")), HasSubstr("both sides are one program")))
      << outcome.err;
}

TEST_F(Measuring, AbWritesMarkdownWhereTheTimeWentAndArchivesThatGiveTheSameVerdictAgain) {
  const Outcome measured =
      run(quick({"ab", fixture("spanned_fast"), fixture("spanned_slow"), "--filter", "varied", "--markdown",
                 "report.md", "--archive-dir", "kept", "--profile-on-regression", "spans"}));
  EXPECT_EQ(measured.status, 1) << measured.err;
  EXPECT_THAT(text_of("report.md"), AllOf(HasSubstr("BM_varied"), HasSubstr("spans/BM_varied.html")));
  EXPECT_THAT(measured.out, AllOf(HasSubstr("the time of BM_varied went into turning (x "),
                                  HasSubstr("spans/BM_varied.html"), HasSubstr("spans/BM_varied.md")));
  EXPECT_THAT(text_of("spans/BM_varied.md"), AllOf(HasSubstr("`turning`"), HasSubstr("regression")));
  EXPECT_TRUE(text_of("spans/BM_varied.html").starts_with("<!doctype html>"));
  const Outcome again = run({"compare", "kept/baseline.syrun", "kept/candidate.syrun"});
  EXPECT_EQ(again.status, 1);
  EXPECT_THAT(again.out, HasSubstr("BM_varied"));
}

TEST_F(Measuring, TwoMachinesThatShareASuiteAreJudgedAsOneThatMeasuresAllOfIt) {
  const Outcome whole = run(quick({"ab", fixture("fast"), fixture("slow"), "--archive-dir", "whole", "--json"}));
  EXPECT_EQ(whole.status, 1) << whole.err;
  for (const std::string number : {"1", "2"}) {
    const Outcome part = run(quick({"ab", fixture("fast"), fixture("slow"), "--shard", number + "/2", "--shard-by",
                                    "whole/baseline.syrun", "--archive-dir", "shards/" + number}));
    EXPECT_EQ(part.status, 0) << "a part has no verdict: " << part.err << part.out;
    EXPECT_EQ(part.out, "shard " + number + "/2: 1 of 2 benchmarks measured; steelyard merge judges shards/" + number +
                            " with those of the other shards\n");
    EXPECT_EQ(run({"verify", "shards/" + number}).status, 0);
  }
  const Outcome merged = run({"merge", "shards/1", "shards/2", "--archive-dir", "merged", "--json"});
  EXPECT_EQ(merged.status, whole.status) << merged.err;
  for (const std::string& report : {whole.out, merged.out}) {
    const std::size_t same = report.find("\"benchmark\": \"BM_same\"");
    const std::size_t varied = report.find("\"benchmark\": \"BM_varied\"");
    ASSERT_NE(same, std::string::npos);
    ASSERT_NE(varied, std::string::npos);
    EXPECT_THAT(report.substr(varied, same < varied ? std::string::npos : same - varied),
                HasSubstr("\"verdict\": \"regression\""));
  }
  EXPECT_EQ(run({"verify", "merged"}).status, 0);
  const Outcome equal = run(quick({"ab", fixture("fast"), fixture("fast"), "--shard", "1/3", "--archive-dir", "none"}));
  EXPECT_EQ(equal.status, 3);
  EXPECT_THAT(equal.err, HasSubstr("at least one benchmark a shard"));
}

TEST_F(Measuring, AShardHasNoReportOfItsOwnAndWantsAFolder) {
  const auto refused = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments{"ab", fixture("fast"), fixture("slow"), "--shard", "1/2"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = run(quick(arguments));
    EXPECT_EQ(outcome.status, 3) << outcome.out;
    return outcome.err;
  };
  EXPECT_THAT(refused({}), HasSubstr("no --archive-dir"));
  EXPECT_THAT(refused({"--archive-dir", "a", "--markdown", "report.md"}), HasSubstr("give it to steelyard merge"));
  EXPECT_THAT(run({"ab", fixture("fast"), fixture("slow"), "--shard", "3/2"}).err, HasSubstr("--shard 2/4"));
  EXPECT_THAT(run({"ab", fixture("fast"), fixture("slow"), "--shard-by", "x.syrun"}).err, HasSubstr("no --shard"));
}

TEST_F(Measuring, RunsOfAllShardsAreTheWholeSuite) {
  for (const std::string number : {"1", "2"}) {
    const Outcome part =
        run(quick({"run", "--shard", number + "/2", "--output", number + ".syrun", "--", fixture("fast")}));
    EXPECT_EQ(part.status, 0) << part.err;
  }
  const Outcome merged = run({"merge", "1.syrun", "2.syrun", "--output", "whole.syrun"});
  EXPECT_EQ(merged.status, 0) << merged.err;
  EXPECT_THAT(run({"export", "whole.syrun"}).out, AllOf(HasSubstr("BM_same"), HasSubstr("BM_varied")));
}

TEST_F(Measuring, RunPrintsEveryBenchmarkAndWritesTheArchive) {
  const Outcome outcome = run(quick({"run", "--output", "kept.syrun", "--", fixture("fast")}));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("BM_same"), HasSubstr("BM_varied")));
  EXPECT_THAT(run({"export", "kept.syrun"}).out, HasSubstr("\"schema\": \"steelyard.run/1\""));
  EXPECT_FALSE(std::filesystem::exists("state/spool")) << "--no-store keeps nothing";
}

TEST_F(Measuring, RunOfAProgramOutsideOfTheWorkTreeSaysWhoseCommitItIsKeptUnder) {
  const TemporaryRepository made;
  made.write("README", "nothing is built here");
  made.commit("begin");
  std::filesystem::current_path(made.root());
  std::filesystem::copy(fixture("fast"), "bench");
  const Outcome outside = run(quick({"run", "--filter", "same", "--", fixture("fast")}));
  EXPECT_THAT(outside.err,
              AllOf(HasSubstr("lies outside of " + made.root().string()), HasSubstr("the commit at hand")));
  const Outcome inside = run(quick({"run", "--filter", "same", "--", "./bench"}));
  EXPECT_THAT(inside.err, Not(HasSubstr("lies outside"))) << inside.out;
  std::filesystem::current_path(folder_);
  EXPECT_THAT(run(quick({"run", "--filter", "same", "--", fixture("fast")})).err, Not(HasSubstr("lies outside")));
}

TEST_F(Measuring, WritesNoProgressWhereNobodyWatches) {
  const Outcome outcome = run(quick({"ab", fixture("fast"), fixture("fast"), "--filter", "same", "--quiet"}));
  EXPECT_EQ(outcome.err, "");
}

TEST_F(Measuring, RunThatLacksADemandedCountExitsWithTwo) {
  const std::optional<std::string> missing = bench::counting_unavailable(bench::CountOptions{});
  STEELYARD_SKIP_WITHOUT("valgrind", !missing, *missing);
  const auto of = [&](const char* counts) {
    return run({"run", "--no-store", "--filter", "varied", "--min-time", "1ms", "--rounds", "2", "--counts", counts,
                "--", fixture("uncounted")});
  };
  const Outcome demanded = of("always");
  EXPECT_EQ(demanded.status, 2) << demanded.err << demanded.out;
  EXPECT_THAT(demanded.out, HasSubstr("BM_varied"));
  const Outcome welcome = of("auto");
  EXPECT_EQ(welcome.status, 0) << welcome.err << welcome.out;
}

// The process, not the function: a signal is for all of it.
TEST_F(Measuring, EndsAtATerminationSignalWithWhatItHas) {
  const std::string program = (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "steelyard").string();
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const std::string fast = fixture("fast");
    if (freopen("out", "w", stdout) == nullptr || freopen("err", "w", stderr) == nullptr) _exit(99);
    execl(program.c_str(), "steelyard", "ab", fast.c_str(), fast.c_str(), "--no-store", "--rounds", "1000",
          "--min-time", "1ms", "--counts", "never", "--budget", "10m", nullptr);
    _exit(98);
  }
  // The program is measuring once it has a child of its own.
  const std::filesystem::path children =
      "/proc/" + std::to_string(child) + "/task/" + std::to_string(child) + "/children";
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (text_of(children).empty() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  ASSERT_EQ(kill(child, SIGTERM), 0);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status)) << "ended by a signal";
  EXPECT_EQ(WEXITSTATUS(status), 2) << text_of("err") << text_of("out");
}

}  // namespace
}  // namespace steelyard::ci::measuring_test
