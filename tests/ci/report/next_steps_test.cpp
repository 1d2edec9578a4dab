// What is proposed of rows that failed or are missing. What is proposed of all others stands beside what a report
// promises (promise_test.cpp).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ci/report/comparison.hpp"
#include "ci/report/next_steps.hpp"
#include "tests/ci/report/sample_results.hpp"

namespace steelyard::ci::next_steps_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> steps_of(const Comparison& comparison, SidesFrom from = SidesFrom::this_command) {
  std::vector<std::string> texts;
  for (const NextStep& step : next_steps(comparison, from)) texts.push_back(step.advice + ": " + step.command);
  return texts;
}

Comparison with(const ComparisonRow& row) {
  Comparison comparison;
  comparison.rows = {row};
  return comparison;
}

TEST(NextSteps, ACommandThatFailedIsRunAsItIsAndAFileOfAnotherToolIsNoProgram) {
  Comparison comparison = with(sample::time_row("sort", 1, Verdict::failed));
  comparison.candidate.program = "sort words";
  comparison.candidate.settings["command"] = "process";
  EXPECT_THAT(steps_of(comparison), ElementsAre("run what failed alone: sort words"));
  comparison.candidate.settings = {{"imported_files", "1"}};
  EXPECT_THAT(steps_of(comparison), testing::IsEmpty());
  comparison.candidate.tool = "google-benchmark";
  EXPECT_THAT(steps_of(comparison), ElementsAre("run what failed alone: PROGRAM --benchmark_filter='^sort$'"));
  comparison.candidate.program = "./bench";
  EXPECT_THAT(steps_of(comparison), ElementsAre("run what failed alone: ./bench --benchmark_filter='^sort$'"));
}

TEST(NextSteps, NameTheProgramOfTheSideThatFailedAsAShellStartsIt) {
  Comparison comparison = with(sample::time_row("crash it", 1, Verdict::failed));
  comparison.baseline.program = "bad";
  comparison.candidate.program = "./ok";
  const std::string filter = " --benchmark_filter='^crash it$'";
  EXPECT_THAT(steps_of(comparison), ElementsAre("run what failed alone: ./ok" + filter));
  comparison.rows[0].only_baseline_failed = true;
  EXPECT_THAT(steps_of(comparison), ElementsAre("run what failed alone: ./bad" + filter)) << "no PATH has it";
  comparison.baseline.program = "/tmp/it's one/bad";
  EXPECT_THAT(steps_of(comparison), ElementsAre(R"(run what failed alone: '/tmp/it'\''s one/bad')" + filter));
  comparison.baseline.program = "build/bench --size 3";
  comparison.baseline.commit.sha = "3f2a91c4d";
  EXPECT_THAT(steps_of(comparison), ElementsAre("run what failed alone: build/bench --size 3" + filter))
      << "a commit's has arguments";
}

TEST(NextSteps, NameTheCommandOfTheSideThatFailedAndOfAKeptComparisonOnlyWhereItIsOne) {
  Comparison comparison = with(sample::time_row("command", 1, Verdict::failed));
  comparison.baseline.program = "false";
  comparison.candidate.program = "true";
  comparison.baseline.settings["command"] = comparison.candidate.settings["command"] = "process";
  comparison.rows[0].only_baseline_failed = true;
  EXPECT_THAT(steps_of(comparison), ElementsAre("run what failed alone: false"));
  EXPECT_THAT(steps_of(comparison, SidesFrom::kept), ElementsAre("run what failed alone: COMMAND"));
  comparison.candidate.program = "false";
  EXPECT_THAT(steps_of(comparison, SidesFrom::kept), ElementsAre("run what failed alone: false"));
}

TEST(NextSteps, SayForHowLongABenchmarkIsMissingOnPurpose) {
  Comparison comparison = with(sample::time_row("gone", 1, Verdict::missing));
  EXPECT_THAT(steps_of(comparison), ElementsAre("a benchmark that is missing on purpose is missing once: the next "
                                                "baseline lacks it too: "));
  comparison.history.emplace();
  EXPECT_THAT(steps_of(comparison),
              ElementsAre("a benchmark that is missing on purpose is missing until the 5 newest occasions lack it; if "
                          "it was renamed, [rename] of steelyard.toml says so: "));
}

TEST(NextSteps, ProposeTheLinesOfRenamesInEveryReport) {
  Comparison comparison = with(sample::time_row("a", 1, Verdict::unchanged));
  comparison.rename_proposals = {{"BM_holes/64", "BM_holey/64", 0.9, {}, 1.01, {}}};
  const std::string line = R"("BM_holes/64" = "BM_holey/64")";
  const std::string advice = "a line below [rename] in steelyard.toml keeps its history";
  EXPECT_THAT(
      steps_of(comparison),
      ElementsAre("if BM_holes/64 was renamed (names alike by 90 %, instructions +1.00 %), " + advice + ": " + line));
  EXPECT_THAT(terminal_report(comparison, {}), HasSubstr(line));
  EXPECT_THAT(markdown_report(comparison), HasSubstr(line));
  EXPECT_THAT(json_report(comparison, {}), HasSubstr(R"("to": "BM_holey/64")"));
  for (const char* name : {"BM_b", "BM_c", "BM_d", "BM_e"}) comparison.rename_proposals.push_back({name, "BM_x"});
  EXPECT_THAT(steps_of(comparison), testing::SizeIs(4));
  EXPECT_EQ(steps_of(comparison).back(), "2 more benchmarks may have been renamed: rename_proposals of --json: ");
  comparison.rename_proposals = {{"BM_a", "BM_b", 0.5, 1, 1, 1.25}};
  EXPECT_THAT(
      steps_of(comparison),
      ElementsAre(HasSubstr("(names alike by 50 %, 100 % of their functions, instructions 0 %, time +25.0 %)")));
  comparison.rename_proposals.clear();
  EXPECT_THAT(json_report(comparison, {}), testing::Not(HasSubstr("rename_proposals")));
}

}  // namespace
}  // namespace steelyard::ci::next_steps_test
