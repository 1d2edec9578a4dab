#include "regress/calibration/calibrate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include "regress/calibration/observed_rate.hpp"

namespace steelyard {
namespace {

ComparisonRow quiet_row(const std::string& benchmark, double ratio, double p) {
  ComparisonRow row;
  row.benchmark = benchmark;
  row.metric = *well_known_metric(kRealTime);
  row.ratio = ratio;
  row.interval = Interval{ratio * 0.99, ratio * 1.01};
  row.p = p;
  row.rounds = 12;
  row.noise = {0.02, 0.01, 0.03};
  row.minimum_detectable_effect = 0.02;
  row.verdict = Verdict::unchanged;
  return row;
}

Comparison gate_of(std::vector<ComparisonRow> rows) {
  Comparison gate;
  gate.candidate_fingerprint = "machine";
  gate.candidate.layout = Layout::duet;
  gate.rows = std::move(rows);
  return gate;
}

const CalibrationSetting kSetting{1'700'000'000, "./bench", 7, 3, "100ms", 2};

// Standard normal, from engine bits by our own code.
double normal(std::mt19937_64& bits) {
  const double u = (static_cast<double>(bits() >> 11) + 0.5) * 0x1p-53;
  const double v = static_cast<double>(bits() >> 11) * 0x1p-53;
  return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
}

TEST(Calibrate, CountsGatesAndAlarms) {
  ComparisonRow alarmed = quiet_row("BM_a", 1.01, 0.05);
  ComparisonRow called = quiet_row("BM_b", 1.05, 0.0001);
  called.verdict = Verdict::regression;
  ComparisonRow counted = quiet_row("BM_b", 1, 0);
  counted.metric = *well_known_metric(kInstructions);
  counted.p.reset();
  const std::vector<Comparison> gates{gate_of({alarmed, called, counted}),
                                      gate_of({quiet_row("BM_a", 1, 1), quiet_row("BM_b", 0.99, 0.06), counted})};
  const Calibration calibration = calibrate(gates, {}, kSetting);
  EXPECT_EQ(calibration.fingerprint, "machine");
  EXPECT_EQ(calibration.layout, Layout::duet);
  EXPECT_EQ(calibration.rounds, 12);
  EXPECT_EQ(calibration.at_unix_s, 1'700'000'000);
  EXPECT_EQ(calibration.false_gates, observed_rate(1, 2));
  EXPECT_EQ(calibration.false_alarms.count, 2);
  EXPECT_EQ(calibration.false_alarms.tries, 4) << "counted rows have no p";
  ASSERT_EQ(calibration.benchmarks.size(), 2U);
  EXPECT_EQ(calibration.benchmarks[0].benchmark, "BM_a");
  EXPECT_EQ(calibration.benchmarks[0].alarms, observed_rate(1, 2));
  EXPECT_EQ(calibration.benchmarks[1].minimum_detectable_effect, 0.02);
  EXPECT_EQ(calibration.benchmarks[1].within, 0.02);
  EXPECT_EQ(calibration.benchmarks[1].between, 0.01);
  EXPECT_EQ(calibration.drift_sequential, std::nullopt);
  EXPECT_FALSE(calibration.failed);
}

TEST(Calibrate, OfNothingClaimsNothing) {
  const Calibration calibration = calibrate({}, {}, kSetting);
  EXPECT_EQ(calibration.false_gates.tries, 0);
  EXPECT_EQ(calibration.false_gates.interval, (Interval{0, 1}));
  EXPECT_TRUE(calibration.benchmarks.empty());
  EXPECT_FALSE(calibration.failed);
}

TEST(Calibrate, FailsOnlyWhereTheLowerBoundContradictsTheLevel) {
  const auto with_false = [](int count) {
    std::vector<Comparison> gates;
    for (int i = 0; i < 10; ++i) {
      ComparisonRow row = quiet_row("BM_a", 1.03, i < count ? 0.001 : 0.5);
      if (i < count) row.verdict = Verdict::improvement;
      gates.push_back(gate_of({row}));
    }
    return calibrate(gates, {}, kSetting);
  };
  // Clopper-Pearson: 2 of 10 are at least 2.5 %, 3 of 10 at least 6.7 %.
  EXPECT_FALSE(with_false(2).failed);
  const Calibration failed = with_false(3);
  EXPECT_TRUE(failed.failed);
  EXPECT_EQ(failed.reason,
            "equal builds were called changed in 3 of 10 gates, at least 6.67 % where 5 % were promised");
}

TEST(Calibrate, FailsOnAlarmsThatNoGateCalled) {
  std::vector<Comparison> gates;
  for (int i = 0; i < 10; ++i) {
    std::vector<ComparisonRow> rows;
    for (int k = 0; k < 10; ++k)
      rows.push_back(quiet_row("BM_" + std::to_string(k), 1.001, (i + k) % 5 == 0 ? 0.04 : 0.5));
    gates.push_back(gate_of(rows));
  }
  const Calibration calibration = calibrate(gates, {}, kSetting);
  EXPECT_EQ(calibration.false_alarms.count, 20);
  EXPECT_EQ(calibration.false_gates.count, 0);
  EXPECT_TRUE(calibration.failed);
}

TEST(Calibrate, NineteenOfTwentyRatiosLieWithinTheFloor) {
  std::mt19937_64 bits(11);
  int inside = 0;
  constexpr int kTries = 2000;
  for (int i = 0; i < kTries; ++i) {
    std::vector<Comparison> gates;
    for (int g = 0; g < 8; ++g) gates.push_back(gate_of({quiet_row("BM_a", std::exp(0.03 * normal(bits)), 0.5)}));
    const double floor = calibrate(gates, {}, kSetting).benchmarks[0].floor;
    if (std::fabs(0.03 * normal(bits)) <= std::log1p(floor)) ++inside;
  }
  const Interval share = binomial_interval(inside, kTries, 0.999);
  EXPECT_LE(share.low, 0.95);
  EXPECT_GE(share.high, 0.95);
}

TEST(Calibrate, TakesTheFloorOfFewGatesFromTheirIntervals) {
  const Calibration calibration = calibrate(std::vector{gate_of({quiet_row("BM_a", 1.2, 0.5)})}, {}, kSetting);
  EXPECT_NEAR(calibration.benchmarks[0].floor, std::sqrt(1.01 / 0.99) - 1, 1e-10);
}

TEST(Calibrate, LeavesOutAnIntervalThatTellsNothing) {
  ComparisonRow endless = quiet_row("BM_a", 1.01, 0.5);
  endless.interval = Interval{0.5, std::numeric_limits<double>::infinity()};
  const std::vector<Comparison> gates{gate_of({endless}), gate_of({quiet_row("BM_a", 1, 0.5)})};
  EXPECT_NEAR(calibrate(gates, {}, kSetting).benchmarks[0].floor, std::sqrt(1.01 / 0.99) - 1, 1e-10);
}

TEST(Calibrate, EstimatesTheDriftOfSidesMeasuredOneAfterTheOther) {
  std::vector<Comparison> sequential;
  for (const double ratio : {1.04, 1 / 1.04}) sequential.push_back(gate_of({quiet_row("BM_a", ratio, 0.5)}));
  const Calibration calibration = calibrate(std::vector{gate_of({quiet_row("BM_a", 1, 1)})}, sequential, kSetting);
  ASSERT_TRUE(calibration.drift_sequential);
  EXPECT_NEAR(*calibration.drift_sequential, std::log(1.04), 1e-10);
  EXPECT_EQ(calibration.false_gates.tries, 1) << "sequential pairs are no gates";
}

// Copies 1 % apart, their processes not at all.
Run alone_with(const std::string& benchmark) {
  Run run;
  Measurement& measurement = run.measurements.emplace_back();
  measurement.benchmark.name = benchmark;
  measurement.metric = *well_known_metric(kRealTime);
  for (int round = 0; round < 12; ++round) {
    Invocation& invocation = run.invocations.emplace_back();
    invocation.round = round;
    measurement.invocations.push_back(
        {static_cast<std::uint32_t>(round), {1000 * std::exp(0.01 * (round / 2 % 2))}, {}});
  }
  return run;
}

TEST(Calibrate, TellsWhatCopiesMakeOfBenchmarksMeasuredAlone) {
  const std::vector<Comparison> gates{gate_of({quiet_row("BM_a", 1.01, 0.5), quiet_row("BM_b", 1, 0.5)})};
  const std::vector<steelyard::Run> alone{alone_with("BM_b"), alone_with("BM_c")};
  const Calibration calibration = calibrate(gates, {}, kSetting, alone);
  ASSERT_EQ(calibration.benchmarks.size(), 2U);
  EXPECT_EQ(calibration.benchmarks[0].copies, std::nullopt);
  EXPECT_EQ(calibration.benchmarks[0].processes, std::nullopt);
  ASSERT_TRUE(calibration.benchmarks[1].copies);
  EXPECT_NEAR(*calibration.benchmarks[1].copies, 0.01 / 0.9538726, 1e-9);
  EXPECT_EQ(*calibration.benchmarks[1].processes, 0);
}

}  // namespace
}  // namespace steelyard
