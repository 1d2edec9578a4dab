#include "ci/report/findings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/ci/report/sample_results.hpp"

namespace steelyard {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Comparison with(const std::vector<ComparisonRow>& rows) {
  Comparison comparison;
  comparison.rows = rows;
  return comparison;
}

std::string story_of(const Comparison& comparison, const std::string& benchmark) {
  return fused_story(RowIndex(comparison), benchmark);
}

std::vector<FunctionLine> lines_of(const Comparison& comparison, const ComparisonRow& row) {
  return function_lines(RowIndex(comparison), row);
}

TEST(SummaryLine, CountsWhatThereIsAndLeavesOutWhatIsNot) {
  EXPECT_EQ(summary_line(sample::comparison_with_every_verdict()),
            "3 regressions, 1 failed, 1 missing, 1 incomparable, 2 improvements, 1 new, 4 unchanged, 1 inconclusive");
  EXPECT_EQ(summary_line(sample::quiet_comparison(8)), "8 unchanged");
  EXPECT_EQ(summary_line(Comparison{}), "nothing to compare");
}

TEST(PromiseLine, SpeaksOfTheWholeGateOnlyWhereTheSidesWereMeasuredTogether) {
  Comparison comparison = sample::quiet_comparison(2);
  comparison.policy.false_alarm_rate = 0.01;
  EXPECT_EQ(promise_line(comparison), "The chance that this gate fails though nothing regressed is at most 1 %.");
  for (ComparisonRow& row : comparison.rows) row.layout = Layout::sequential;
  EXPECT_THAT(promise_line(comparison), HasSubstr("not measured together"));
  EXPECT_THAT(promise_line(with({sample::instructions_row("a", 1, 1)})), HasSubstr("exactly"));
  EXPECT_EQ(promise_line(Comparison{}), "");
}

TEST(ConditionsLine, GivesTheRangeOfRounds) {
  Comparison comparison = sample::quiet_comparison(2);
  EXPECT_EQ(conditions_line(comparison), "duet, 24 rounds, seed 7; minimum effect 1 %, intervals at 95 %");
  comparison.candidate.seed = 0;
  EXPECT_EQ(conditions_line(comparison), "duet, 24 rounds; minimum effect 1 %, intervals at 95 %");
  comparison.rows[0].rounds = 12;
  EXPECT_THAT(conditions_line(comparison), HasSubstr("duet, 12 to 24 rounds"));
}

TEST(EnvironmentLines, PutDecisiveFactsFirstAndNameWhatIsNotRecorded) {
  Comparison comparison;
  comparison.environment_differences = {{"host", "a", "b", false}, {"cpu.model", "x", "", true}};
  EXPECT_THAT(environment_lines(comparison), ElementsAre("cpu.model: x -> not recorded (decisive)", "host: a -> b"));
}

TEST(WarningLines, SayEachWarningOnce) {
  Comparison comparison;
  comparison.warnings = {"b", "a", "b"};
  EXPECT_THAT(warning_lines(comparison), ElementsAre("b", "a"));
}

TEST(FusedStory, TellsRealChangesFromThoseOfTheMachine) {
  const auto story = [](double time, Verdict verdict, double count) {
    return story_of(with({sample::time_row("a", time, verdict), sample::instructions_row("a", 1000, 1000 * count)}),
                    "a");
  };
  EXPECT_EQ(story(1.098, Verdict::regression, 1.121), "instructions +12.1 %, time +9.8 %: real");
  EXPECT_EQ(story(1.03, Verdict::regression, 1), "instructions equal, time +3.0 %: layout, memory or the machine");
  EXPECT_EQ(story(1.001, Verdict::unchanged, 1.02), "instructions +2.0 %, time equal: not on the critical path");
  EXPECT_EQ(story(0.9, Verdict::improvement, 0.88), "instructions -12.0 %, time -10.0 %: improved");
  EXPECT_EQ(story(0.9, Verdict::improvement, 1.1), "instructions +10.0 %, time -10.0 %: more work in less time");
  EXPECT_EQ(story(1.01, Verdict::inconclusive, 1.02),
            "instructions +2.0 %, time undecided: more work for certain, its time not shown");
}

TEST(FusedStory, IsSilentWhereNothingChangedOrAWitnessIsMissing) {
  EXPECT_EQ(story_of(sample::comparison_with_every_verdict(), "BM_trim/8"), "");
  EXPECT_EQ(story_of(with({sample::time_row("a", 1.1, Verdict::regression)}), "a"), "");
  EXPECT_EQ(story_of(with({sample::instructions_row("a", 1, 2)}), "a"), "");
  ComparisonRow count = sample::instructions_row("a", 1, 2);
  count.verdict = Verdict::incomparable;
  EXPECT_EQ(story_of(with({sample::time_row("a", 1.1, Verdict::regression), count}), "a"), "");
}

TEST(FusedStory, IsSilentWhereTheLibraryRanOtherCodeUnderTheCounter) {
  ComparisonRow count = sample::instructions_row("a", 1000, 1100);
  count.reason = "counted exactly; dispatch differs: SkylakeX natively, Haswell under Valgrind";
  EXPECT_EQ(story_of(with({sample::time_row("a", 1.1, Verdict::regression), count}), "a"), "");
}

TEST(FunctionLines, SayHowACallChanged) {
  ComparisonRow row = sample::instructions_row("a", 1000, 1100);
  FunctionChange function{"f(int)", "src/f.cpp", 7, 100, 100, 0, 1, true};
  const auto what = [&](double self, double inclusive, double calls) {
    function.self_change = self;
    function.inclusive_change = inclusive;
    function.calls_change = calls;
    row.functions = {function};
    return lines_of(with({row}), row).at(0).what;
  };
  EXPECT_EQ(what(100, 100, 0), "each call costs more");
  EXPECT_EQ(what(-100, -100, 0), "each call costs less");
  EXPECT_EQ(what(100, 100, 1), "called 1 time more");
  EXPECT_EQ(what(100, 100, 1024), "called 1,024 times more");
  EXPECT_EQ(what(-100, -100, -0.5), "called 0.50 times less");
  EXPECT_EQ(what(100, 100, -2), "fewer calls, each costs more");
}

TEST(FunctionLines, GiveTheirPartOfTheBenchmarksInstructions) {
  const Comparison comparison = sample::comparison_with_every_verdict();
  for (const ComparisonRow& row : comparison.rows) {
    if (row.benchmark != "BM_tokenize/1024") continue;
    const std::vector<FunctionLine> lines = lines_of(comparison, row);
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_EQ(lines[0].name, "textkit::tokenize");
    EXPECT_EQ(lines[0].change, "+12.3 %");  // 0.99 of 12.4 %, for the row of time too
    EXPECT_EQ(lines[0].place, "src/tokenizer.cpp:41");
    EXPECT_EQ(lines[1].place, "vector.tcc:436");
    EXPECT_EQ(lines[2].place, "");
  }
}

TEST(MetricLabel, ReadsAsWords) {
  EXPECT_EQ(metric_label(*well_known_metric(kRealTime)), "time");
  EXPECT_EQ(metric_label(*well_known_metric(kCpuTime)), "cpu time");
}

}  // namespace
}  // namespace steelyard
