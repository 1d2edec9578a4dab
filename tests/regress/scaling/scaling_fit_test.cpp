#include "regress/scaling/scaling_fit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "bench/harness/numpy_random.hpp"

namespace steelyard::regress::scaling_fit_test {
namespace {

const std::vector<double> kSizes{64, 128, 256, 512, 1024, 2048};

enum class Noise { normal, skewed, heavy };

// About 0, deviation about 1.
double draw(Noise noise, NumpyRandom& random) {
  switch (noise) {
    case Noise::normal:
      return random.normal(0, 1);
    case Noise::skewed:  // as interruptions: never faster, sometimes much slower
      return -std::log(1 - random.real()) - 1;
    case Noise::heavy:  // one measurement in twenty is off by ten times as much
      return random.normal(0, random.real() < 0.05 ? 5 : 0.5);
  }
  return 0;
}

template <class Cost>
ScalingData measured(std::uint32_t seed, int rounds, double deviation, Noise noise, Cost&& cost) {
  NumpyRandom random(seed);
  ScalingData data;
  data.sizes = kSizes;
  for (int round = 0; round < rounds; ++round) {
    const double mood = std::exp(0.2 * random.normal(0, 1));  // of the machine, the same for all sizes
    std::vector<double>& levels = data.rounds.emplace_back();
    for (const double size : kSizes) levels.push_back(mood * cost(size) * std::exp(deviation * draw(noise, random)));
  }
  return data;
}

double quadratic(double n) { return 3e-9 * n * n; }

TEST(ScalingFit, CostOfTheSquareHasTheExponentTwo) {
  const ScalingFit fit = *fit_scaling(measured(1, 10, 0.02, Noise::normal, quadratic));
  EXPECT_NEAR(fit.exponent, 2, 0.01);
  ASSERT_TRUE(fit.interval);
  EXPECT_LT(fit.interval->low, 2);
  EXPECT_GT(fit.interval->high, 2);
  EXPECT_LT(fit.interval->high - fit.interval->low, 0.04);
  EXPECT_GT(*fit.r_squared, 0.999);
  EXPECT_FALSE(fit.is_curved);
  EXPECT_EQ(fit.rounds, 10);
}

TEST(ScalingFit, WithoutNoiseTheExponentIsExact) {
  ScalingData data{kSizes, {{}, {}}};
  for (const double size : kSizes) {
    data.rounds[0].push_back(quadratic(size));
    data.rounds[1].push_back(quadratic(size));
  }
  const ScalingFit fit = *fit_scaling(data);
  EXPECT_NEAR(fit.exponent, 2, 1e-12);
  EXPECT_NEAR(fit.coefficient, 3e-9, 1e-20);
  EXPECT_NEAR(*fit.r_squared, 1, 1e-12);
  EXPECT_EQ(judge_claim(fit, {2}), ClaimVerdict::held);
  EXPECT_EQ(judge_claim(fit, {2.001}), ClaimVerdict::refuted);
}

// The slow way: Student's quantile of 2 degrees from a table, the slopes by hand.
TEST(ScalingFit, AgreesWithAHandCalculation) {
  const double e = std::exp(1.0);
  const ScalingData data{{1, e, e * e}, {{1, e, e * e}, {1, e * e, e * e * e * e}, {1, e * e * e, std::exp(6.0)}}};
  const ScalingFit fit = *fit_scaling(data);  // exponents 1, 2 and 3: mean 2, deviation 1
  EXPECT_NEAR(fit.exponent, 2, 1e-12);
  EXPECT_NEAR(fit.interval->high - 2, 4.302653 / std::sqrt(3), 1e-5);
  EXPECT_NEAR(2 - fit.interval->low, 4.302653 / std::sqrt(3), 1e-5);
  EXPECT_EQ(judge_claim(fit, {2}), ClaimVerdict::undecided);
}

// Nominal 95 %: 2000 simulated sweeps cover the truth in 93 to 97 % of them.
TEST(ScalingFit, IntervalsCoverTheTruthAsOftenAsTheySay) {
  for (const Noise noise : {Noise::normal, Noise::skewed}) {
    for (const int rounds : {5, 20}) {
      int covered = 0;
      for (std::uint32_t seed = 0; seed < 2000; ++seed) {
        const ScalingFit fit = *fit_scaling(measured(seed, rounds, 0.05, noise, quadratic));
        covered += fit.interval->low <= 2 && 2 <= fit.interval->high ? 1 : 0;
      }
      EXPECT_GE(covered, 1860) << static_cast<int>(noise) << ' ' << rounds;
      EXPECT_LE(covered, 1940) << static_cast<int>(noise) << ' ' << rounds;
    }
  }
}

// Rare large disturbances make Student's interval too wide rather than too narrow.
TEST(ScalingFit, HeavyTailsDoNotMakeIntervalsTooNarrow) {
  int covered = 0;
  for (std::uint32_t seed = 0; seed < 2000; ++seed) {
    const ScalingFit fit = *fit_scaling(measured(seed, 5, 0.05, Noise::heavy, quadratic));
    covered += fit.interval->low <= 2 && 2 <= fit.interval->high ? 1 : 0;
  }
  EXPECT_GE(covered, 1860);
}

TEST(ScalingFit, AnOverheadIsSeenAsACurveThatEndsAtTheTrueExponent) {
  const auto cost = [](double n) { return 1e-6 + 2e-9 * n; };  // the overhead is that of 500
  const ScalingFit fit = *fit_scaling(measured(1, 10, 0.02, Noise::normal, cost));
  EXPECT_TRUE(fit.is_curved);
  EXPECT_LT(fit.interval->high, 0.7);
  EXPECT_LT(*fit.exponent_at_smallest, 0.3);
  EXPECT_GT(*fit.exponent_at_largest, 0.7);
  EXPECT_EQ(judge_claim(fit, {1}), ClaimVerdict::refuted);
}

TEST(ScalingFit, StraightLinesAreNotCalledCurved) {
  int curved = 0;
  for (std::uint32_t seed = 0; seed < 1000; ++seed) {
    curved += fit_scaling(measured(seed, 10, 0.05, Noise::normal, quadratic))->is_curved ? 1 : 0;
  }
  EXPECT_LE(curved, 10);
}

TEST(ScalingFit, OneRoundIsCurvedOnlyWhereItIsCounted) {
  ScalingData data{{64, 128, 256, 512}, {{64, 128, 512, 4096}}};
  EXPECT_FALSE(fit_scaling(data)->is_curved) << "nothing tells how much of it is noise";
  data.is_counted = true;
  EXPECT_TRUE(fit_scaling(data)->is_curved);
}

TEST(ScalingFit, OneRoundHasNoIntervalUnlessItIsCounted) {
  ScalingData data = measured(0, 1, 0.02, Noise::normal, quadratic);
  const ScalingFit noisy = *fit_scaling(data);
  EXPECT_FALSE(noisy.interval);
  EXPECT_EQ(judge_claim(noisy, {2, 0.5}), ClaimVerdict::undecided);
  data.is_counted = true;
  const ScalingFit counted = *fit_scaling(data);
  ASSERT_TRUE(counted.interval);
  EXPECT_EQ(counted.interval->low, counted.interval->high);
  EXPECT_EQ(judge_claim(counted, {2, 0.5}), ClaimVerdict::held);
  EXPECT_EQ(judge_claim(counted, {1}), ClaimVerdict::refuted);
}

TEST(ScalingFit, TwoSizesHaveASlopeAndNoCurve) {
  const ScalingFit fit = *fit_scaling({{10, 100}, {{1, 10}}, true});
  EXPECT_NEAR(fit.exponent, 1, 1e-12);
  EXPECT_FALSE(fit.exponent_at_smallest);
  EXPECT_FALSE(fit_scaling({{10, 100}, {{5, 5}}, true})->r_squared);
}

TEST(ScalingFit, WhatIsNoSweepIsRefused) {
  for (const ScalingData& data :
       {ScalingData{{1}, {{1}}}, ScalingData{{1, 2}, {}}, ScalingData{{2, 1}, {{1, 2}}}, ScalingData{{0, 1}, {{1, 2}}},
        ScalingData{{1, 2}, {{1}}}, ScalingData{{1, 2}, {{1, 0}}}, ScalingData{{1, 2}, {{1, HUGE_VAL}}}}) {
    EXPECT_FALSE(fit_scaling(data));
  }
}

}  // namespace
}  // namespace steelyard::regress::scaling_fit_test
