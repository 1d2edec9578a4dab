#include "regress/ab/drift.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace steelyard {
namespace {

Effect effect_at(double log_ratio, double error = 0.005) {
  Effect effect;
  effect.test = "invocations";
  effect.units = 15;
  effect.log_ratio = log_ratio;
  effect.standard_error = error;
  effect.p = 0.001;
  effect.within_margin = true;
  return effect;
}

TEST(EstimateDrift, FewBenchmarksGiveTheMeasuredDefault) {
  const Drift drift = estimate_drift(std::vector<Effect>(4, effect_at(0.2)), Layout::sequential);
  EXPECT_FALSE(drift.estimated);
  EXPECT_EQ(drift.common, 0);
  EXPECT_DOUBLE_EQ(drift.deviation, 0.037);
  EXPECT_GT(estimate_drift({}, Layout::separate).deviation, drift.deviation);
}

TEST(EstimateDrift, ManyBenchmarksShowWhatTheyShareAndOneOutlierDoesNotMoveIt) {
  std::vector<Effect> effects;
  for (const double ratio : {0.06, 0.08, 0.10, 0.12, 0.14, 0.9}) effects.push_back(effect_at(ratio));
  const Drift drift = estimate_drift(effects, Layout::separate);
  EXPECT_TRUE(drift.estimated);
  EXPECT_NEAR(drift.common, 0.11, 1e-12);
  EXPECT_GT(drift.deviation, 0.02);
  EXPECT_LT(drift.deviation, 0.06);
  EXPECT_EQ(drift.degrees, 5);
}

TEST(EstimateDrift, AgreementNeverMeansCertainty) {
  EXPECT_DOUBLE_EQ(estimate_drift(std::vector<Effect>(9, effect_at(0.1)), Layout::sequential).deviation, 0.01);
}

TEST(AutocorrelationFactor, AWalkCountsForLessThanAlternation) {
  std::vector<LogInvocation> walk(12);
  std::vector<LogInvocation> alternation(12);
  for (int i = 0; i < 12; ++i) {
    walk[static_cast<std::size_t>(i)].level = i;
    alternation[static_cast<std::size_t>(i)].level = i % 2;
  }
  EXPECT_GT(autocorrelation_factor(walk), 3);
  EXPECT_EQ(autocorrelation_factor(alternation), 1);
  EXPECT_EQ(autocorrelation_factor(std::vector<LogInvocation>(12)), 1);
}

TEST(Widen, TheIntervalIsAtLeastAsWideAsTheDrift) {
  const Effect widened = widen(effect_at(0.05), {.common = 0, .deviation = 0.037}, 1, 0.95);
  EXPECT_LT(widened.interval->low, 0.05 - 1.95 * 0.037);
  EXPECT_GT(widened.interval->high, 0.05 + 1.95 * 0.037);
  EXPECT_GT(*widened.p, 0.05);
  EXPECT_FALSE(widened.within_margin);
}

TEST(Widen, WhatAllBenchmarksShareIsNotEvidence) {
  const Drift drift{.common = 0.2, .deviation = 0.01};
  EXPECT_GT(*widen(effect_at(0.2), drift, 1, 0.95).p, 0.99);
  EXPECT_LT(*widen(effect_at(0.4), drift, 1, 0.95).p, 0.001);
  // Nor is standing still while all others moved: it may be either.
  EXPECT_EQ(*widen(effect_at(0), drift, 1, 0.95).p, 1);
}

TEST(Widen, PAndIntervalNeverDisagree) {
  for (const double common : {-0.03, 0.0, 0.02}) {
    for (double ratio = -0.2; ratio < 0.2; ratio += 0.003) {
      for (const double degrees : {0.0, 6.0}) {
        const Effect widened =
            widen(effect_at(ratio), {.common = common, .deviation = 0.03, .degrees = degrees}, 1.5, 0.95);
        EXPECT_EQ(*widened.p > 0.05, widened.interval->low <= 0 && widened.interval->high >= 0) << ratio;
      }
    }
  }
}

TEST(Widen, WithoutAnErrorThereIsNoP) {
  Effect effect = effect_at(0.1);
  effect.standard_error.reset();
  const Effect widened = widen(effect, {.deviation = 0.037}, 1, 0.95);
  EXPECT_FALSE(widened.p.has_value());
  EXPECT_FALSE(widened.interval.has_value());
}

}  // namespace
}  // namespace steelyard
