// The engine and the scorer on recorded noise, a few seconds of it. Bounds are exact binomial ones: a claim is broken
// where what was counted has a chance below one in ten thousand if the claim is true. Windows of one recording overlap,
// but which process is whose is drawn anew for each, and that is what an alarm on equal sides depends on.
#include <gtest/gtest.h>

#include <string>

#include "tests/statistics/recorded.hpp"
#include "tests/studies/judging/exact_binomial.hpp"
#include "tests/studies/judging/peers/rules.hpp"
#include "tests/studies/judging/score.hpp"

namespace steelyard::judging::error_rates_test {
namespace {

constexpr double kUnlikely = 1e-4;
constexpr ScoreOptions kShort{1, 20, false, 4};

Score score_concurrent(const Rule& rule, const std::string& name, ConcurrentOptions concurrent,
                       ScoreOptions options = kShort) {
  const Recording& recording = recorded(name);
  return score(
      rule, [&](Draw& draw) { return concurrent_window(recording, concurrent, draw); }, options);
}

testing::AssertionResult at_most(const Share& share, double rate) {
  if (share.of > 0 && binomial_upper_tail(share.count, share.of, rate) >= kUnlikely) return testing::AssertionSuccess();
  return testing::AssertionFailure() << share.count << " of " << share.of << ", wanted a rate of at most " << rate;
}

testing::AssertionResult at_least(const Share& share, double rate) {
  if (share.of > 0 && binomial_lower_tail(share.count, share.of, rate) >= kUnlikely) return testing::AssertionSuccess();
  return testing::AssertionFailure() << share.count << " of " << share.of << ", wanted a rate of at least " << rate;
}

// What a duet calls changed, held against what the same kernels are in turns (add_alone).
TEST(CheckedAlone, TakesAlarmsAwayAndHardlyAnyPowerAndCallsNoChangeThatIsNotThereAlone) {
  const auto scored = [](bool is_checked, bool only_side_by_side) {
    const WindowSource source = [is_checked](Draw& draw) {
      Draw of_alone = draw.beside();
      Window window = concurrent_window(recorded("duet"), {15, 0}, draw);
      if (!is_checked) return window;
      for (BenchmarkWindow& benchmark : window.benchmarks) {
        add_alone(recorded("interleaved"), benchmark.name, of_alone, benchmark);
      }
      return window;
    };
    return score(own_rule(), source, {1, 20, false, 4, only_side_by_side});
  };
  const Score duet = scored(false, false);
  const Score checked = scored(true, false);
  ASSERT_GT(duet.called_right[2].count, 0);
  EXPECT_LE(checked.called.count, duet.called.count);
  EXPECT_LE(checked.run_alarm.count, duet.run_alarm.count);
  EXPECT_GE(checked.called_right[2].value(), duet.called_right[2].value() - 0.02);
  EXPECT_EQ(checked.found[2].count, duet.found[2].count) << "p is the duet's";
  const Score beside = scored(true, true);
  EXPECT_LT(beside.called_right[2].value(), 0.5 * duet.called_right[2].value());
}

class Concurrent : public testing::TestWithParam<const char*> {};

TEST_P(Concurrent, FifteenRoundsKeepTheirLevelsAndTheirCoverage) {
  const Score score = score_concurrent(own_rule(), GetParam(), {15, 0});
  EXPECT_TRUE(at_most(score.alarm, 0.05));
  EXPECT_TRUE(at_most(score.alarm_strict, 0.01));
  EXPECT_TRUE(at_least(score.covered, 0.93));
  EXPECT_TRUE(at_most(score.wrong, 0.004));
}

TEST_P(Concurrent, UnknownOrderKeepsTheLevel) {
  const Score score = score_concurrent(own_rule({.with_order = false}), GetParam(), {15, 2});
  EXPECT_TRUE(at_most(score.alarm, 0.05));
  EXPECT_TRUE(at_most(score.alarm_strict, 0.01));
}

TEST_P(Concurrent, FiveRoundsKeepTheLevelAndCallNothing) {
  const Score score = score_concurrent(own_rule(), GetParam(), {5, 0});
  EXPECT_TRUE(at_most(score.alarm, 0.05));
  EXPECT_EQ(score.called.count, 0);
  EXPECT_GT(score.called.of, 0);
}

TEST_P(Concurrent, UnequalSlotsCostAtMostATenthOfThePower) {
  const Score equal = score_concurrent(own_rule(), GetParam(), {15, 0});
  for (const double sds : {1.0, 2.0}) {
    const Score unequal = score_concurrent(own_rule(), GetParam(), {15, sds});
    EXPECT_GE(unequal.found[2].value(), 0.9 * equal.found[2].value()) << sds;
    EXPECT_TRUE(at_most(unequal.alarm, 0.05));
  }
}

INSTANTIATE_TEST_SUITE_P(Recordings, Concurrent, testing::Values("interleaved", "neighbour", "duet", "copies_round"),
                         [](const auto& the) { return std::string(the.param); });

TEST(RecordedNoise, QuietInterleavingFindsFivePerCent) {
  EXPECT_TRUE(at_least(score_concurrent(own_rule(), "interleaved", {15, 0}).found[2], 0.82));
}

TEST(RecordedNoise, OneProcessASideGivesNoVerdict) {
  const Score score = score_concurrent(own_rule(), "interleaved", {1, 0});
  EXPECT_EQ(score.called.count, 0);
  EXPECT_EQ(score.alarm.count, 0);
  EXPECT_EQ(score.shown_unchanged.count, 0);
  EXPECT_GT(score.called.of, 0);
}

TEST(RecordedNoise, SidesOneAfterTheOtherAreSeldomCalledDifferent) {
  const auto source = [](Draw& draw) { return sequential_window(recorded("interleaved"), 15, draw); };
  const Score one_by_one = score(own_rule(), source, kShort);
  EXPECT_TRUE(at_most(one_by_one.called, 0.10));
  EXPECT_TRUE(at_most(one_by_one.wrong, 0.02));
  EXPECT_EQ(one_by_one.shown_unchanged.count, 0);
}

TEST(RecordedNoise, ASuiteSeldomHasAFalseAlarm) {
  for (const char* name : {"interleaved", "neighbour", "duet"}) {
    EXPECT_TRUE(at_most(score_concurrent(own_rule(), name, {15, 0}, {1, 12, true, 4}).run_alarm, 0.05)) << name;
  }
}

// The scorer itself: it must see a rule that breaks its promise, and one that says nothing.
TEST(Scorer, SeesThatTheUTestOfRepetitionsAlarmsTooOften) {
  EXPECT_FALSE(at_most(score_concurrent(google_benchmark_rule(), "neighbour", {15, 0}, {1, 20, false, 4}).alarm, 0.05));
}

TEST(Scorer, CountsWhatARuleSays) {
  const Rule always{"always slower", [](const Window& window) {
                      Finding finding;
                      finding.p = 0.02;
                      finding.says = 1;
                      finding.interval = Interval{1.04, 1.06};
                      finding.verdict = Verdict::regression;
                      return std::vector<Finding>(window.benchmarks.size(), finding);
                    }};
  const Score score = score_concurrent(always, "duet", {6, 0}, {2, 1, false, 4});
  EXPECT_EQ(score.alarm.of, 2 * 13);
  EXPECT_EQ(score.alarm.count, 2 * 13);
  EXPECT_EQ(score.alarm_strict.count, 0);
  EXPECT_EQ(score.found[0].count, 2 * 13);
  EXPECT_EQ(score.wrong.count, 0);
  EXPECT_EQ(score.covered.count, 2 * 13);  // those of 5 %
  EXPECT_EQ(score.covered.of, 5 * 2 * 13);
  EXPECT_EQ(score.run_alarm.count, 2 * 13);
  const Score suite = score_concurrent(always, "duet", {6, 0}, {2, 1, true, 4});
  EXPECT_EQ(suite.alarm.of, 2 * 13);
  EXPECT_EQ(suite.found[3].of, 2 * 4);
  EXPECT_EQ(suite.run_alarm.of, 2);
}

TEST(ScorerDeathTest, StopsWhereABenchmarkHasNoFinding) {
  const Rule silent{"silent", [](const Window&) { return std::vector<Finding>(); }};
  EXPECT_EXIT(score_concurrent(silent, "duet", {6, 0}, {1, 1, false, 4}), testing::ExitedWithCode(70),
              "silent has 0 findings for 1 benchmarks");
}

}  // namespace
}  // namespace steelyard::judging::error_rates_test
