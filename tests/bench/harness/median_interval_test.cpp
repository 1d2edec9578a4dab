#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "bench/harness/median_interval.hpp"
#include "tests/studies/median_study.hpp"

namespace steelyard::median_interval_test {
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

std::vector<double> up_to(int n) {
  // Shuffled so that no neighbours are alike: the multiples of a generator modulo a prime.
  std::vector<double> times;
  for (int i = 1; i < 211 && static_cast<int>(times.size()) < n; ++i) {
    const int value = i * 92 % 211;
    if (value <= n) times.push_back(value);
  }
  return times;
}

TEST(MedianInterval, FiveTimesAreTooFewAndSixAreNot) {
  const MedianInterval five = median_interval(std::vector<double>{3, 1, 5, 2, 4});
  EXPECT_EQ(five.doubt, MedianDoubt::too_few);
  EXPECT_FALSE(five.bounds);
  EXPECT_EQ(five.median, 3);
  EXPECT_EQ(five.reason, "5 times: too few to enclose the median");
  const MedianInterval six = median_interval(std::vector<double>{3, 1, 5, 2, 6, 4});
  ASSERT_TRUE(six.bounds);
  EXPECT_EQ(six.doubt, MedianDoubt::hardly_checked);
  EXPECT_FALSE(six.is_claimed());
}

// n = 10, by hand: ranks 2 and 9 hold the median with 1002/1024, ranks 3 and 8 with 912/1024; Hettmansperger and
// Sheather 1986: I = (1002/1024 - .95) / (90/1024), weight 8 I / (2 + 6 I).
TEST(MedianInterval, InterpolatesAsHettmanspergerAndSheather) {
  const double part = (1002.0 / 1024 - 0.95) / (90.0 / 1024);
  const double weight = 8 * part / (2 + 6 * part);
  const MedianInterval interval = median_interval(std::vector<double>{7, 2, 9, 4, 10, 1, 6, 3, 8, 5});
  ASSERT_TRUE(interval.bounds);
  EXPECT_NEAR(interval.bounds->low, 2 + weight, 1e-9);
  EXPECT_NEAR(interval.bounds->high, 9 - weight, 1e-9);
  EXPECT_EQ(interval.median, 5.5);
  EXPECT_EQ(interval.confidence, 0.95);
}

TEST(MedianInterval, EqualTimesGiveThatTime) {
  const MedianInterval interval = median_interval(std::vector<double>(50, 3.5));
  ASSERT_TRUE(interval.bounds);
  EXPECT_EQ(interval.bounds->low, 3.5);
  EXPECT_EQ(interval.bounds->high, 3.5);
  EXPECT_EQ(interval.doubt, MedianDoubt::none);
}

TEST(MedianInterval, OfOneTimeHasTheMedianOnly) {
  const MedianInterval interval = median_interval(std::vector<double>{2});
  EXPECT_EQ(interval.median, 2);
  EXPECT_FALSE(interval.bounds);
  EXPECT_EQ(interval.reason, "1 time: too few to enclose the median");
}

TEST(MedianInterval, ManyTimesTakeTheNormalApproximationWithoutAStep) {
  NumpyRandom random(3);
  std::vector<double> times = simulated_times(SimulatedNoise::normal, 1000, random);
  const MedianInterval exact = median_interval(times);
  times.push_back(exact.median);
  const MedianInterval approximate = median_interval(times);
  ASSERT_TRUE(exact.bounds && approximate.bounds);
  EXPECT_NEAR(approximate.bounds->low, exact.bounds->low, 0.01);
  EXPECT_NEAR(approximate.bounds->high, exact.bounds->high, 0.01);
}

TEST(MedianInterval, AHigherConfidenceIsWider) {
  const std::vector<double> times = up_to(60);
  const MedianInterval low = median_interval(times, 0.8);
  const MedianInterval high = median_interval(times, 0.99);
  ASSERT_TRUE(low.bounds && high.bounds);
  EXPECT_LT(high.bounds->low, low.bounds->low);
  EXPECT_GT(high.bounds->high, low.bounds->high);
}

TEST(MedianInterval, TwoLevelsAroundTheMedianAreNamedAndTakenExactly) {
  std::vector<double> times;
  for (int i = 0; i < 20; ++i) times.push_back(i % 2 == 0 ? 100 + 0.1 * i : 150 + 0.1 * i);
  const MedianInterval interval = median_interval(times);
  EXPECT_EQ(interval.doubt, MedianDoubt::gap);
  EXPECT_NEAR(interval.confidence, 0.9586, 1e-4);  // of ranks 6 and 15 of 20
  ASSERT_TRUE(interval.bounds);
  EXPECT_LT(interval.bounds->low, 103);
  EXPECT_GT(interval.bounds->high, 149);
  EXPECT_NE(interval.reason.find("two levels"), std::string::npos);
}

TEST(MedianInterval, OneTimeBeyondAGapIsNoLevel) {
  const std::vector<double> times{1000.2, 1000.4, 1000.1, 1000.6, 1000.3, 1000.5, 1009, 1000.7};
  EXPECT_EQ(median_interval(times).doubt, MedianDoubt::hardly_checked);
}

TEST(MedianInterval, SlowlyMovingTimesHaveNone) {
  std::vector<double> rising;
  for (int i = 0; i < 100; ++i) rising.push_back(i);
  const MedianInterval interval = median_interval(rising);
  EXPECT_FALSE(interval.bounds);
  EXPECT_EQ(interval.doubt, MedianDoubt::autocorrelated);
  EXPECT_NE(interval.reason, "");
}

TEST(MedianInterval, FewTimesThatAreVisiblyAlikeHaveNone) {
  std::vector<double> rising;
  for (int i = 0; i < 20; ++i) rising.push_back(i);
  EXPECT_EQ(median_interval(rising).doubt, MedianDoubt::autocorrelated);
}

TEST(NormalDeviate, IsThatOfTheTables) {
  EXPECT_NEAR(normal_deviate(0.95), 1.959963985, 1e-9);
  EXPECT_NEAR(normal_deviate(0.99), 2.575829304, 1e-9);
  EXPECT_NEAR(normal_deviate(0), 0, 1e-9);
}

// P(B >= k) of a binomial of n and p.
double upper_tail(int k, int n, double p) {
  double sum = 0;
  for (int i = k; i <= n; ++i) {
    sum += std::exp(std::lgamma(n + 1.0) - std::lgamma(i + 1.0) - std::lgamma(n - i + 1.0) + i * std::log(p) +
                    (n - i) * std::log1p(-p));
  }
  return sum;
}

constexpr int kRepeats = 500;

// Not refuted at one in ten thousand: 93 to 97 in a hundred are covered.
void expect_nominal(const char* what, int covered, int given) {
  const int missed = given - covered;
  EXPECT_GT(upper_tail(missed, given, 0.07), 1e-4) << what << ": covers " << covered << " of " << given;
  EXPECT_GT(1 - upper_tail(missed + 1, given, 0.03), 1e-4) << what << ": covers " << covered << " of " << given;
}

class Coverage : public testing::TestWithParam<std::pair<SimulatedNoise, std::size_t>> {};

TEST_P(Coverage, IsThatOfNinetyFivePercent) {
  const auto [noise, n] = GetParam();
  const MedianCoverage row = median_coverage(noise, n, kRepeats, 7);
  EXPECT_GT(row.given, kRepeats / 2);
  expect_nominal("given", row.covered, row.given);
  if (n < 40) {
    EXPECT_EQ(row.claimed, 0);  // it says that it assumes independence
  }
}

INSTANTIATE_TEST_SUITE_P(
    MedianInterval, Coverage,
    testing::Values(std::pair(SimulatedNoise::normal, 10), std::pair(SimulatedNoise::normal, 20),
                    std::pair(SimulatedNoise::normal, 50), std::pair(SimulatedNoise::normal, 200),
                    std::pair(SimulatedNoise::skewed, 10), std::pair(SimulatedNoise::skewed, 20),
                    std::pair(SimulatedNoise::skewed, 50), std::pair(SimulatedNoise::skewed, 200),
                    std::pair(SimulatedNoise::bimodal, 20), std::pair(SimulatedNoise::bimodal, 50),
                    std::pair(SimulatedNoise::bimodal, 200), std::pair(SimulatedNoise::evenly_bimodal, 20),
                    std::pair(SimulatedNoise::evenly_bimodal, 50), std::pair(SimulatedNoise::evenly_bimodal, 200),
                    std::pair(SimulatedNoise::autocorrelated_05, 50), std::pair(SimulatedNoise::autocorrelated_05, 200),
                    std::pair(SimulatedNoise::autocorrelated_09, 200)),
    [](const auto& parameter) {
      std::string name(to_text(parameter.param.first));
      std::erase_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); });
      return name + "Of" + std::to_string(parameter.param.second);
    });

TEST(MedianCoverage, StrongDependenceOfFewTimesIsRefusedAndSeldomClaimedWrongly) {
  const MedianCoverage row = median_coverage(SimulatedNoise::autocorrelated_09, 50, kRepeats, 7);
  EXPECT_LT(row.claimed, kRepeats / 5);
  EXPECT_GT(upper_tail(row.claimed - row.claimed_covered, kRepeats, 0.07), 1e-4);
}

TEST(MedianCoverage, NothingIsClaimedOfFewAutocorrelatedTimes) {
  EXPECT_EQ(median_coverage(SimulatedNoise::autocorrelated_05, 10, kRepeats, 7).claimed, 0);
  EXPECT_EQ(median_coverage(SimulatedNoise::autocorrelated_09, 20, kRepeats, 7).claimed, 0);
}

// A table of a hundred cells of ordinary noise tells it seldom.
TEST(MedianInterval, SkewedNoiseSeldomHasTwoLevels) {
  constexpr int kMeasurements = 3000;
  NumpyRandom random(11);
  for (const SimulatedNoise noise : {SimulatedNoise::normal, SimulatedNoise::skewed}) {
    int gaps = 0;
    for (int i = 0; i < kMeasurements; ++i) {
      gaps += median_interval(simulated_times(noise, 12, random)).doubt == MedianDoubt::gap ? 1 : 0;
    }
    EXPECT_GT(upper_tail(gaps, kMeasurements, 0.006), 1e-4) << to_text(noise) << ": " << gaps;
  }
}

// Shuffled, the times no longer show that they depend on each other, and 80 % are covered: the bounds above can fail.
TEST(MedianCoverage, WouldFailWithoutTheGuard) {
  NumpyRandom random(7);
  int given = 0;
  int covered = 0;
  for (int i = 0; i < kRepeats; ++i) {
    const std::vector<double> times = simulated_times(SimulatedNoise::autocorrelated_05, 50, random);
    std::vector<double> shuffled;
    for (const std::size_t at : random.permutation(times.size())) shuffled.push_back(times[at]);
    const MedianInterval interval = median_interval(shuffled);
    if (!interval.bounds) continue;
    ++given;
    covered += interval.bounds->low <= 100 && 100 <= interval.bounds->high ? 1 : 0;
  }
  EXPECT_LT(upper_tail(given - covered, given, 0.07), 1e-4);
}

}  // namespace

}  // namespace steelyard::median_interval_test
