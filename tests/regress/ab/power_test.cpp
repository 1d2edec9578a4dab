#include "regress/ab/power.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace steelyard {
namespace {

Effect effect_with(double log_ratio, double error, int units = 16) {
  Effect effect;
  effect.units = units;
  effect.log_ratio = log_ratio;
  effect.standard_error = error;
  effect.least_p = 1e-6;
  return effect;
}

// 1.959964 + 0.841621 standard errors.
TEST(MinimumDetectableEffect, IsTheUsualSumOfTwoQuantiles) {
  EXPECT_NEAR(*minimum_detectable_effect(effect_with(0, 0.01), 0.05, 1), std::expm1(0.02801585), 1e-7);
}

TEST(MinimumDetectableEffect, GrowsWithTheNumberOfComparisons) {
  const Effect effect = effect_with(0, 0.01);
  EXPECT_GT(*minimum_detectable_effect(effect, 0.05, 50), *minimum_detectable_effect(effect, 0.05, 1));
}

TEST(MinimumDetectableEffect, IsAbsentWhereTheLevelCannotBeReached) {
  Effect effect = effect_with(0, 0.01, 6);
  effect.least_p = 2.0 / 64;
  EXPECT_TRUE(minimum_detectable_effect(effect, 0.05, 1).has_value());
  EXPECT_FALSE(minimum_detectable_effect(effect, 0.05, 2).has_value());
  effect.standard_error.reset();
  EXPECT_FALSE(minimum_detectable_effect(effect, 0.05, 1).has_value());
}

// 16 rounds with an error of .02 make .08 a round; (2.801585 * .08 / .04)^2 = 31.4.
TEST(RoundsThatWouldDecide, ScaleWithTheSquareOfTheNoise) {
  EXPECT_EQ(rounds_that_would_decide(effect_with(0.04, 0.02), {}), 32);
  EXPECT_EQ(rounds_that_would_decide(effect_with(0.04, 0.04), {}), 126);
}

// (1.644854 + 1.281552)^2 * .08^2 / log(1.02)^2 = 139.8.
TEST(RoundsThatWouldDecide, InsideTheMarginAimAtShowingNoChange) {
  EXPECT_EQ(rounds_that_would_decide(effect_with(0, 0.02), {}), 140);
}

TEST(RoundsThatWouldDecide, AreMoreThanThereWereAndBounded) {
  EXPECT_EQ(rounds_that_would_decide(effect_with(0.5, 0.001, 20), {}), 22);
  EXPECT_EQ(rounds_that_would_decide(effect_with(0.021, 5), {}), kMostRoundsNamed);
}

}  // namespace
}  // namespace steelyard
