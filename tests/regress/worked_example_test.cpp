// The worked example of docs/method/judgement.md, whose figures can be counted by hand.
#include <gtest/gtest.h>

#include "regress/compare_runs.hpp"

namespace steelyard::regress::worked_example_test {
namespace {

const std::vector<double> kBaseline{100, 101, 100, 102, 101, 100};
const std::vector<double> kCandidate{103, 104, 104, 105, 103, 103};

void add(const std::string& benchmark, const std::vector<double>& values, Run& run) {
  Measurement measurement;
  measurement.benchmark = parse_google_benchmark_name(benchmark);
  measurement.metric = *well_known_metric(kRealTime);
  for (std::size_t i = 0; i < values.size(); ++i) {
    measurement.invocations.push_back({static_cast<std::uint32_t>(i), {values[i]}, {}});
  }
  run.measurements.push_back(std::move(measurement));
}

// One process of each side in each of six rounds; the candidate comes first in every other.
Run side(bool is_candidate) {
  Run run;
  run.header.layout = Layout::interleaved;
  run.header.session = "example";
  for (int round = 0; round < 6; ++round) {
    Invocation invocation;
    invocation.round = round;
    invocation.slot = is_candidate == (round % 2 == 0) ? 0 : 1;
    run.invocations.push_back(invocation);
  }
  add("parse", is_candidate ? kCandidate : kBaseline, run);
  return run;
}

TEST(WorkedExample, SixRoundsThatAllPointOneWay) {
  const Comparison comparison = compare_runs(side(false), side(true), {}).comparison;
  ASSERT_EQ(comparison.rows.size(), 1U);
  const ComparisonRow& row = comparison.rows.front();
  EXPECT_DOUBLE_EQ(row.p.value(), 2.0 / 64);
  EXPECT_DOUBLE_EQ(row.q.value(), 2.0 / 64);
  // The interval ends where one round would point the other way: at the least and the largest ratio of a round.
  EXPECT_NEAR(row.interval->low, 103.0 / 101, 5e-4);
  EXPECT_NEAR(row.interval->high, 104.0 / 100, 5e-4);
  EXPECT_NEAR(row.ratio.value(), 1.03, 5e-3);
  EXPECT_EQ(row.verdict, Verdict::regression);
}

TEST(WorkedExample, AmongTenThatStandStillTheGreatestIsItsOwn) {
  auto baseline = side(false);
  auto candidate = side(true);
  for (int i = 0; i < 9; ++i) {
    add("other_" + std::to_string(i), kBaseline, baseline);
    add("other_" + std::to_string(i), kBaseline, candidate);
  }
  const Comparison comparison = compare_runs(baseline, candidate, {}).comparison;
  ASSERT_EQ(comparison.rows.size(), 10U);
  for (const ComparisonRow& row : comparison.rows) {
    if (row.benchmark != "parse") continue;
    EXPECT_DOUBLE_EQ(row.q.value(), 2.0 / 64);
    EXPECT_EQ(row.verdict, Verdict::regression);
  }
}

}  // namespace
}  // namespace steelyard::regress::worked_example_test
