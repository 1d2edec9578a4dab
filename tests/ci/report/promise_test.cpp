#include "ci/report/promise.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/ci/report/sample_results.hpp"

namespace steelyard {
namespace {

using testing::HasSubstr;

Comparison judged(int rows) {
  Comparison comparison = sample::quiet_comparison(rows);
  for (ComparisonRow& row : comparison.rows) {
    if (row.metric.kind == MetricKind::noisy) row.q = 1;
  }
  return comparison;
}

std::int64_t noisy(const Comparison& comparison) {
  std::int64_t count = 0;
  for (const ComparisonRow& row : comparison.rows) count += row.metric.kind == MetricKind::noisy ? 1 : 0;
  return count;
}

TEST(Promise, SpeaksOfTheWholeGateAndOfHowManyComparisonsItHolds) {
  Comparison comparison = judged(2);
  comparison.policy.false_alarm_rate = 0.01;
  EXPECT_EQ(promise_line(comparison),
            "The chance that this gate fails though nothing regressed is at most 1 % (Holm over " +
                std::to_string(noisy(comparison)) + " comparisons).");
  EXPECT_TRUE(promise_of(comparison).holds);
}

TEST(Promise, QuotesTheCalibration) {
  Comparison comparison = judged(2);
  comparison.calibration.emplace();
  comparison.calibration->false_gates = {0, 40, {0, 0.0881}};
  EXPECT_THAT(promise_line(comparison),
              HasSubstr("; on this machine 0 of 40 A/A gates called a change (0 % to 8.81 %)."));
  comparison.calibration->level = 0.01;
  EXPECT_THAT(promise_line(comparison), HasSubstr("at a rate of 1 %"));
}

TEST(Promise, PromisesNothingWhereItsCalibrationFailedOrTheSidesWereApart) {
  Comparison comparison = judged(2);
  comparison.calibration.emplace();
  comparison.calibration->failed = true;
  EXPECT_FALSE(promise_of(comparison).holds);
  EXPECT_THAT(promise_line(comparison), HasSubstr("nothing is promised"));
  comparison.calibration.reset();
  for (ComparisonRow& row : comparison.rows) row.layout = Layout::sequential;
  EXPECT_FALSE(promise_of(comparison).holds);
  EXPECT_THAT(promise_line(comparison), HasSubstr("not measured together"));
}

TEST(Promise, OfCountsIsExactnessAndOfNothingNothing) {
  Comparison comparison;
  EXPECT_EQ(promise_line(comparison), "");
  comparison.rows = {sample::instructions_row("a", 1, 1)};
  EXPECT_THAT(promise_line(comparison), HasSubstr("exactly"));
  EXPECT_FALSE(promise_of(comparison).holds);
}

}  // namespace
}  // namespace steelyard
