#include "bench/harness/autocorrelation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/studies/median_study.hpp"

namespace steelyard {
namespace {

TEST(Autocorrelation, InflationOfIndependentTimesIsOne) {
  EXPECT_EQ(median_variance_inflation(0, 100), 1);
  EXPECT_EQ(median_variance_inflation(0.5, 1), 1);
}

// Two times of correlation r: the variance of the mean of their signs is (1 + c) / 2 with c = 2/pi asin(r).
TEST(Autocorrelation, InflationOfTwoTimesIsThatOfTheirSigns) {
  EXPECT_NEAR(median_variance_inflation(0.5, 2), 1 + 1.0 / 3, 1e-12);  // asin(1/2) = pi/6
}

TEST(Autocorrelation, InflationIsTheVarianceOfTheMedianThatSimulationShows) {
  NumpyRandom random(11);
  constexpr int kRepeats = 4000;
  constexpr std::size_t kTimes = 101;
  const auto variance = [&](SimulatedNoise noise) {
    double squares = 0;
    for (int i = 0; i < kRepeats; ++i) {
      std::vector<double> times = simulated_times(noise, kTimes, random);
      std::nth_element(times.begin(), times.begin() + kTimes / 2, times.end());
      squares += (times[kTimes / 2] - 100) * (times[kTimes / 2] - 100);
    }
    return squares / kRepeats;
  };
  // The ratio of two variances of 4000 normals each has a standard error of 3 %; five of them.
  EXPECT_NEAR(variance(SimulatedNoise::autocorrelated_05) / variance(SimulatedNoise::normal) /
                  median_variance_inflation(0.5, kTimes),
              1, 0.16);
  EXPECT_NEAR(variance(SimulatedNoise::autocorrelated_09) / variance(SimulatedNoise::normal) /
                  median_variance_inflation(0.9, kTimes),
              1, 0.16);
}

TEST(Autocorrelation, EstimateIsCorrectedForItsBiasWhateverTheShape) {
  NumpyRandom random(5);
  double sum = 0;
  double skewed_sum = 0;
  constexpr int kRepeats = 1000;
  for (int i = 0; i < kRepeats; ++i) {
    std::vector<double> times = simulated_times(SimulatedNoise::autocorrelated_05, 50, random);
    sum += autocorrelation(times).lag_one;
    for (double& time : times) time = std::exp(time);
    skewed_sum += autocorrelation(times).lag_one;
  }
  // Uncorrected it is 0.074 too small, corrected 0.024; the standard error of the mean is 0.004.
  EXPECT_NEAR(sum / kRepeats, 0.5, 0.04);
  EXPECT_EQ(skewed_sum, sum);  // ranks only
}

TEST(Autocorrelation, NothingIsFoundInConstantOrTooFewTimes) {
  EXPECT_EQ(autocorrelation({}).inflation, 1);
  EXPECT_EQ(autocorrelation(std::vector<double>{1, 2}).inflation, 1);
  const Autocorrelation constant = autocorrelation(std::vector<double>(100, 7.0));
  EXPECT_EQ(constant.inflation, 1);
  EXPECT_FALSE(constant.is_visible);
  EXPECT_FALSE(constant.drifts);
}

TEST(Autocorrelation, AlternatingTimesNeverShrinkTheVariance) {
  std::vector<double> times;
  for (int i = 0; i < 100; ++i) times.push_back(i % 2 == 0 ? 1 : 2);
  EXPECT_LT(autocorrelation(times).lag_one, -0.5);
  EXPECT_EQ(autocorrelation(times).inflation, 1);
}

TEST(Autocorrelation, ALevelThatMovesSlowlyIsDrift) {
  NumpyRandom random(2);
  std::vector<double> times = simulated_times(SimulatedNoise::normal, 200, random);
  EXPECT_FALSE(autocorrelation(times).drifts);
  for (std::size_t i = 0; i < times.size(); ++i) times[i] += 0.02 * static_cast<double>(i);
  EXPECT_TRUE(autocorrelation(times).drifts);
}

}  // namespace
}  // namespace steelyard
