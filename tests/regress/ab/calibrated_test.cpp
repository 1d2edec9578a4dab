#include "regress/ab/calibrated.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "regress/calibration/calibrate.hpp"

namespace steelyard::regress::calibrated_test {
namespace {

Calibration calibration_with(double floor) {
  Calibration calibration;
  calibration.rounds = 16;
  CalibratedBenchmark benchmark;
  benchmark.benchmark = "BM_sort";
  benchmark.metric = "real_time";
  benchmark.floor = floor;
  benchmark.alarms = observed_rate(0, 10);
  calibration.false_gates = observed_rate(0, 10);
  calibration.benchmarks.push_back(benchmark);
  return calibration;
}

TEST(CalibratedNoise, TheMarginIsNeverBelowTheNoiseFloorNorBelowThePolicy) {
  const Calibration noisy = calibration_with(0.05);
  EXPECT_EQ(CalibratedNoise(&noisy).margin("BM_sort", "real_time", 0.02), 0.05);
  EXPECT_EQ(CalibratedNoise(&noisy).margin("BM_sort", "cpu_time", 0.02), 0.02);
  EXPECT_EQ(CalibratedNoise(&noisy).margin("BM_other", "real_time", 0.02), 0.02);
  const Calibration quiet = calibration_with(0.001);
  EXPECT_EQ(CalibratedNoise(&quiet).margin("BM_sort", "real_time", 0.02), 0.02);
  const Calibration broken = calibration_with(std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(CalibratedNoise(&broken).margin("BM_sort", "real_time", 0.02), 0.02);
}

TEST(CalibratedNoise, AFloorBeyondWhatAUserCouldMeanIsNoMargin) {
  const auto noise = [](double floor, Rules rules = kNewestRules) {
    const Calibration calibration = calibration_with(floor);
    const CalibratedNoise known(&calibration, rules);
    return std::pair(known.margin("BM_sort", "real_time", 0.02), known.floor_beyond("BM_sort", "real_time", 0.02));
  };
  EXPECT_EQ(noise(kMaxCalibratedMargin), std::pair(0.10, std::optional<double>()));
  EXPECT_EQ(noise(0.1001), std::pair(0.02, std::optional(0.1001)));
  EXPECT_EQ(noise(0.34), std::pair(0.02, std::optional(0.34)));
  EXPECT_EQ(noise(0.34, Rules::rounds_2), std::pair(0.34, std::optional<double>()));
  const Calibration calibration = calibration_with(0.34);
  EXPECT_EQ(CalibratedNoise(&calibration).floor_beyond("BM_sort", "real_time", 0.4), std::nullopt)
      << "the user means more";
  EXPECT_EQ(CalibratedNoise(&calibration).floor_beyond("BM_sort", "cpu_time", 0.02), std::nullopt);
}

TEST(CalibratedNoise, AFloorOfTooFewGatesIsNoMargin) {
  Calibration calibration = calibration_with(0.05);
  calibration.benchmarks[0].alarms = observed_rate(0, kMinCalibrationGates - 1);
  EXPECT_EQ(CalibratedNoise(&calibration).margin("BM_sort", "real_time", 0.02), 0.02);
  EXPECT_EQ(CalibratedNoise(&calibration, Rules::rounds_2).margin("BM_sort", "real_time", 0.02), 0.05);
  calibration.benchmarks[0].floor = 0.34;
  EXPECT_EQ(CalibratedNoise(&calibration).floor_beyond("BM_sort", "real_time", 0.02), std::nullopt);
}

// Where no gate was false, at most so many may be.
TEST(CalibrationIsUsed, TheLeastGatesAreThoseByWhichNotEverySecondCouldBeFalse) {
  EXPECT_LT(observed_rate(0, kMinCalibrationGates).interval.high, 0.5);
  EXPECT_GT(observed_rate(0, kMinCalibrationGates - 1).interval.high, 0.5);
  Calibration calibration = calibration_with(0.01);
  EXPECT_TRUE(is_used(calibration));
  calibration.false_gates = observed_rate(0, 3);
  EXPECT_FALSE(is_used(calibration));
  calibration.failed = true;
  EXPECT_TRUE(is_used(calibration)) << "three false gates of three say enough";
}

TEST(CalibratedNoise, SingleProcessesAreAsManyTimesNoisierAsTheRootOfTheRounds) {
  Calibration calibration = calibration_with(0.01);
  EXPECT_NEAR(*CalibratedNoise(&calibration).of_single_invocations("BM_sort", "real_time"), std::pow(1.01, 4) - 1,
              1e-12);
  // Its own gates stopped after nine, others went on.
  calibration.benchmarks[0].rounds = 9;
  EXPECT_NEAR(*CalibratedNoise(&calibration).of_single_invocations("BM_sort", "real_time"), std::pow(1.01, 3) - 1,
              1e-12);
  EXPECT_FALSE(CalibratedNoise(&calibration).of_single_invocations("BM_other", "real_time").has_value());
}

TEST(CalibratedNoise, DriftIsKnownForSidesOneAfterTheOtherOnly) {
  Calibration calibration = calibration_with(0.01);
  EXPECT_FALSE(CalibratedNoise(&calibration).drift(Layout::sequential).has_value());
  calibration.drift_sequential = 0.02;
  EXPECT_EQ(CalibratedNoise(&calibration).drift(Layout::sequential), 0.02);
  EXPECT_FALSE(CalibratedNoise(&calibration).drift(Layout::separate).has_value());
  EXPECT_FALSE(CalibratedNoise(nullptr).drift(Layout::sequential).has_value());
}

TEST(RefuseVerdict, TakesTheVerdictBackAndKeepsWhatWasSeen) {
  ComparisonRow row;
  row.verdict = Verdict::regression;
  row.notes.add(RowNote::too_noisy);
  RowFacts facts;
  facts.reason = why::Changed{};
  refuse_verdict(row, facts);
  EXPECT_EQ(row.verdict, Verdict::inconclusive);
  EXPECT_EQ(row.notes, RowNotes{});
  EXPECT_TRUE(facts.calibration_failed);
  EXPECT_TRUE(std::holds_alternative<why::Changed>(facts.reason));
}

}  // namespace
}  // namespace steelyard::regress::calibrated_test
