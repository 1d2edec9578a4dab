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

TEST(Promise, LeavesOutTheLuckOfPagesThatAProgramKept) {
  Comparison comparison = judged(2);
  for (const char* pages : {"copied", "reread"}) {
    comparison.candidate.settings["pages"] = pages;
    EXPECT_THAT(promise_line(comparison), ::testing::Not(HasSubstr("memory pages")));
  }
  comparison.candidate.settings["pages"] = "kept";
  EXPECT_THAT(promise_line(comparison), HasSubstr("but for the luck of the memory pages that each program kept."));
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

std::string gate_line_with(Witness witness, double counted_minimum_effect, const std::vector<ComparisonRow>& rows) {
  Comparison comparison;
  comparison.policy.witness = witness;
  comparison.policy.counted_minimum_effect = counted_minimum_effect;
  comparison.rows = rows;
  return gate_line(comparison);
}

TEST(GateLine, SaysOfEachPolicyWhatFails) {
  const std::vector<ComparisonRow> both{sample::time_row("a", 1, Verdict::unchanged),
                                        sample::instructions_row("a", 1, 1)};
  EXPECT_EQ(gate_line_with(Witness::decided, 0.01, both),
            "Fails: regressions of time; of instructions by 1 % or more unless time is shown unchanged or better.");
  EXPECT_EQ(gate_line_with(Witness::either, 0.005, both),
            "Fails: regressions of time; of instructions by 0.5 % or more.");
  EXPECT_EQ(gate_line_with(Witness::either, 0, both), "Fails: regressions of time; of instructions.");
  EXPECT_EQ(gate_line_with(Witness::time, 0.01, both),
            "Fails: regressions of time; of instructions by 1 % or more where time was not judged.");
  EXPECT_EQ(gate_line_with(Witness::instructions, 0.01, both),
            "Fails: regressions of instructions by 1 % or more; of time where instructions were not judged.");
  EXPECT_EQ(gate_line_with(Witness::both, 0, both),
            "Fails: regressions of instructions that time confirms, where it was judged; of time that instructions "
            "confirm, where they were judged.");
}

TEST(GateLine, SpeaksOfWhatWasComparedAlone) {
  const ComparisonRow time = sample::time_row("a", 1, Verdict::unchanged);
  const ComparisonRow count = sample::instructions_row("a", 1, 1);
  ComparisonRow allocations = count;
  allocations.metric = *well_known_metric("allocations");
  ComparisonRow cpu_time = time;
  cpu_time.metric = *well_known_metric(kCpuTime);
  EXPECT_EQ(gate_line_with(Witness::decided, 0.01, {time}), "Fails: regressions of time.");
  EXPECT_EQ(gate_line_with(Witness::decided, 0.01, {count}), "Fails: regressions of instructions by 1 % or more.");
  EXPECT_EQ(gate_line_with(Witness::decided, 0.01, {time, time, cpu_time, count, allocations}),
            "Fails: regressions of time; of allocations by 1 % or more; of instructions by 1 % or more unless time is "
            "shown unchanged or better.");
  EXPECT_EQ(gate_line_with(Witness::decided, 0.01, {cpu_time}), "") << "it fails nothing";
  EXPECT_EQ(gate_line_with(Witness::decided, 0.01, {}), "");
}

TEST(GateLine, SpeaksOfTheMetricsThatThePolicyNames) {
  Comparison comparison;
  comparison.rows = {sample::time_row("a", 1, Verdict::unchanged), sample::instructions_row("a", 1, 1)};
  comparison.policy.gates = {std::string(kInstructions)};
  EXPECT_EQ(gate_line(comparison), "Fails: regressions of instructions by 1 % or more.") << "time excuses nothing";
  comparison.policy.gates = {std::string(kRealTime)};
  EXPECT_EQ(gate_line(comparison), "Fails: regressions of time.");
}

}  // namespace
}  // namespace steelyard
