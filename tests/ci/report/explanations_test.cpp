// The whole text of two explanations, of numbers that are written down here.
#include <gtest/gtest.h>

#include "ci/report/comparison.hpp"
#include "tests/ci/report/golden.hpp"
#include "tests/ci/report/sample_results.hpp"

namespace steelyard::ci {
namespace {

Measurement measurement_of(const std::string& metric, const std::vector<std::vector<double>>& invocations) {
  Measurement measurement;
  measurement.benchmark.name = "BM_sort";
  measurement.metric = *well_known_metric(metric);
  for (std::size_t i = 0; i < invocations.size(); ++i) {
    measurement.invocations.push_back({static_cast<std::uint32_t>(i), invocations[i], {}});
  }
  return measurement;
}

Run run_of(double factor, double count) {
  Run run;
  std::vector<std::vector<double>> times;
  for (int round = 0; round < 8; ++round) {
    Invocation invocation;
    invocation.round = round;
    invocation.slot = (round + (factor == 1 ? 0 : 1)) % 2;
    run.invocations.push_back(invocation);
    const double level = factor * (200000 + 500 * ((round * 5) % 8));
    times.push_back({level, level * 1.001, level * 1.002});
  }
  run.invocations[2].disturbed_by = {"steal time"};
  run.measurements = {measurement_of("real_time", times), measurement_of("instructions", {{count}})};
  return run;
}

ComparisonRow time_row() {
  ComparisonRow row = sample::time_row("BM_sort", 1.04, Verdict::regression);
  row.baseline = 200450;
  row.candidate = 208468;
  row.interval = Interval{1.031, 1.049};
  row.equivalence_interval = Interval{1.033, 1.047};
  row.layout = Layout::interleaved;
  row.rounds = 8;
  row.test = "rounds";
  row.p = 0.0004;
  row.q = 0.004;
  row.discovery_q = 0.002;
  row.looks = {{6, 0.01, 0.2}, {8, 0.00032, 0.8}};
  row.slot_effect = 1.003;
  row.noise = {0.001, 0.004, 0.01};
  row.margin = 0.03;
  row.minimum_detectable_effect = 0.012;
  row.reason = "4 % slower in 8 rounds";
  return row;
}

TEST(Explanations, GoFromSamplesToAnswers) {
  Comparison comparison;
  ComparisonRow count = sample::instructions_row("BM_sort", 1000, 1010);
  count.test = "exact";
  count.jitter = 0;
  comparison.rows = {time_row(), count};
  comparison.drifts = {{"real_time", 1.002, 0.004, 23, false}};
  const auto explanations = regress::explain(run_of(1, 1000), run_of(1.04, 1010), comparison, "all");
  golden::expect_equal(terminal_explanations(explanations, {false, true, 100}), "report/explanations.out");
}

TEST(Explanations, AreNothingWhereNothingWasAskedFor) { EXPECT_EQ(terminal_explanations({}, {}), ""); }

}  // namespace
}  // namespace steelyard::ci
