#include "regress/ab/calibrated.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace steelyard {
namespace {

using ::testing::HasSubstr;

Calibration calibration_with(double floor) {
  Calibration calibration;
  calibration.rounds = 16;
  CalibratedBenchmark benchmark;
  benchmark.benchmark = "BM_sort";
  benchmark.metric = "real_time";
  benchmark.floor = floor;
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

TEST(CalibratedNoise, SingleProcessesAreAsManyTimesNoisierAsTheRootOfTheRounds) {
  const Calibration calibration = calibration_with(0.01);
  EXPECT_NEAR(*CalibratedNoise(&calibration).of_single_invocations("BM_sort", "real_time"), std::pow(1.01, 4) - 1,
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

TEST(RefuseVerdict, KeepsWhatWasSeenAndSaysWhatWouldFixIt) {
  Calibration calibration = calibration_with(0.01);
  calibration.failed = true;
  calibration.reason = "9 of 20 A/A gates called a change";
  ComparisonRow row;
  row.verdict = Verdict::regression;
  row.reason = "5 % slower";
  refuse_verdict(calibration, row);
  EXPECT_EQ(row.verdict, Verdict::inconclusive);
  EXPECT_THAT(row.reason, HasSubstr("9 of 20 A/A gates called a change"));
  EXPECT_THAT(row.reason, HasSubstr("steelyard doctor"));
  EXPECT_THAT(row.reason, HasSubstr("seen: 5 % slower"));
}

}  // namespace
}  // namespace steelyard
