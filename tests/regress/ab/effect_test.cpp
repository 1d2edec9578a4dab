#include "regress/ab/effect.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/regress/simulated_runs.hpp"

namespace steelyard {
namespace {

LogInvocation at(double level, int slot = 0) { return {0, slot, {level}, level}; }

std::vector<LogInvocation> all_at(std::initializer_list<double> levels) {
  std::vector<LogInvocation> result;
  for (const double level : levels) result.push_back(at(level));
  return result;
}

PairedRounds rounds_with(std::initializer_list<double> differences) {
  PairedRounds paired;
  int round = 0;
  for (const double difference : differences) {
    paired.rounds.push_back({at(1, round % 2), at(1 + difference, 1 - round % 2)});
    ++round;
  }
  return paired;
}

TEST(EffectOfRounds, OneRoundHasAnEstimateAndNothingElse) {
  const Effect effect = effect_of_rounds(rounds_with({0.1}), {});
  EXPECT_EQ(effect.test, "none");
  EXPECT_NEAR(effect.log_ratio, 0.1, 1e-12);
  EXPECT_FALSE(effect.p.has_value());
  EXPECT_FALSE(effect.standard_error.has_value());
}

// t = 3 / (1.5811 / sqrt(5)) = 4.2426 on 4 degrees: p = .0132 (0.01 at 4.604, 0.02 at 3.747 in the tables).
TEST(EffectOfRounds, FiveRoundsGiveStudentsPairedT) {
  const Effect effect = effect_of_rounds(rounds_with({0.01, 0.02, 0.03, 0.04, 0.05}), {});
  EXPECT_EQ(effect.test, "t on log levels");
  EXPECT_NEAR(effect.log_ratio, 0.03, 1e-12);
  EXPECT_NEAR(*effect.standard_error, 0.0158114 / std::sqrt(5.0), 1e-7);
  EXPECT_NEAR(*effect.p, 0.01324, 1e-5);
  EXPECT_NEAR(effect.interval->low, 0.03 - 2.77645 * 0.00707107, 1e-6);
}

TEST(EffectOfRounds, ACoarseClockWithoutSpreadStillHasADefinedP) {
  const Effect same = effect_of_rounds(rounds_with({0, 0, 0, 0}), {});
  EXPECT_EQ(*same.p, 1);
  EXPECT_EQ(*same.interval, (Interval{0, 0}));
  const Effect apart = effect_of_rounds(rounds_with({0.5, 0.5, 0.5, 0.5}), {});
  EXPECT_DOUBLE_EQ(*apart.p, 2.0 / 16);
  EXPECT_FALSE(apart.interval || apart.equivalence_interval);
}

// A mean of equal logarithms is seldom their value: what rounding leaves is no spread.
TEST(EffectOfRounds, WhatRoundingLeavesIsNoSpread) {
  for (const double level : {0.1, 6.6995, 13.8155}) {
    for (const int units : {3, 5}) {
      PairedRounds paired;
      std::vector<LogInvocation> baseline;
      std::vector<LogInvocation> candidate;
      for (int r = 0; r < units; ++r) {
        baseline.push_back(at(level));
        candidate.push_back(at(level + 0.0701));
        paired.rounds.push_back({at(level, r % 2), at(level + 0.0701, 1 - r % 2)});
      }
      EXPECT_DOUBLE_EQ(*effect_of_rounds(paired, {}).p, 2 / std::exp2(units)) << level;
      EXPECT_DOUBLE_EQ(*effect_of_invocations(baseline, candidate, {}).p, 2 / std::exp2(units)) << level;
      baseline.resize(2);
      EXPECT_EQ(*effect_of_invocations(baseline, all_at({level, level, level}), {}).p, 1) << level;
    }
  }
}

TEST(EffectOfRounds, SixRoundsAreRelabelled) {
  const Effect effect = effect_of_rounds(rounds_with({0.01, 0.02, 0.03, 0.04, 0.05, 0.06}), {});
  EXPECT_EQ(effect.test, "rounds");
  EXPECT_DOUBLE_EQ(*effect.p, 2.0 / 64);
  EXPECT_GT(effect.interval->low, 0);
  EXPECT_EQ(effect.degrees, 0);
}

TEST(EffectOfRounds, AConfidenceOutOfReachLeavesTheIntervalOutAndKeepsTheError) {
  const Effect effect = effect_of_rounds(rounds_with({0.01, 0.02, 0.03, 0.04, 0.05, 0.06}), {0.99, 0.02});
  EXPECT_FALSE(effect.interval.has_value());
  EXPECT_GT(*effect.standard_error, 0);
}

TEST(EffectOfRounds, PAndIntervalNeverDisagree) {
  Simulation simulation(11);
  int significant = 0;
  for (int trial = 0; trial < 120; ++trial) {
    PairedRounds paired;
    const int rounds = 6 + trial % 11;
    const double shift = 0.02 * (trial % 4);
    for (int r = 0; r < rounds; ++r) {
      PairedRound round{at(0, r % 2), at(0, 1 - r % 2)};
      // Two digits: ties are common.
      round.baseline.level = round.baseline.logs[0] = std::round(50 * simulation.normal()) / 1000;
      round.candidate.level = round.candidate.logs[0] = std::round(50 * simulation.normal()) / 1000 + shift;
      paired.rounds.push_back(round);
    }
    const Effect effect = effect_of_rounds(paired, {});
    ASSERT_TRUE(effect.interval.has_value());
    const bool holds_zero = effect.interval->low <= 0 && effect.interval->high >= 0;
    EXPECT_EQ(*effect.p > 0.05, holds_zero) << trial;
    EXPECT_LE(effect.interval->low, effect.log_ratio);
    EXPECT_GE(effect.interval->high, effect.log_ratio);
    if (!holds_zero) ++significant;
  }
  EXPECT_GT(significant, 10);
  EXPECT_LT(significant, 110);
}

// Means 2 and 4, variances 1 and 4 of three each: error sqrt(5/3), (5/3)^2 / (1/18 + 16/18) = 2.941 degrees.
TEST(EffectOfInvocations, FewInvocationsGiveWelchsT) {
  const Effect effect = effect_of_invocations(all_at({1, 2, 3}), all_at({2, 4, 6}), {});
  EXPECT_EQ(effect.test, "t on log levels");
  EXPECT_NEAR(*effect.standard_error, std::sqrt(5.0 / 3), 1e-12);
  EXPECT_NEAR(effect.degrees, 2.941, 1e-3);
}

TEST(EffectOfInvocations, SixASideAreRelabelled) {
  const Effect effect = effect_of_invocations(all_at({1, 2, 3, 4, 5, 6}), all_at({11, 12, 13, 14, 15, 16, 17}), {});
  EXPECT_EQ(effect.test, "invocations");
  EXPECT_EQ(effect.units, 6);
  EXPECT_DOUBLE_EQ(*effect.p, 1.0 / 1716);  // a score that is not symmetric has no mirrored arrangement
  EXPECT_NEAR(effect.log_ratio, 10.5, 0.51);
}

TEST(EffectOfInvocations, OneOnASideHasNoP) {
  EXPECT_FALSE(effect_of_invocations(all_at({1}), all_at({1, 2, 3, 4}), {}).p.has_value());
}

}  // namespace
}  // namespace steelyard
