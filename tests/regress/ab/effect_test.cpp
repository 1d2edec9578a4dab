#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "regress/ab/effect.hpp"
#include "tests/regress/simulated_runs.hpp"

namespace steelyard::regress::effect_test {
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
  EXPECT_EQ(effect.test, TestKind::none);
  EXPECT_NEAR(effect.log_ratio, 0.1, 1e-12);
  EXPECT_FALSE(effect.p.has_value());
  EXPECT_FALSE(effect.standard_error.has_value());
}

// t = 3 / (1.5811 / sqrt(5)) = 4.2426 on 4 degrees: p = .0132 (0.01 at 4.604, 0.02 at 3.747 in the tables).
TEST(EffectOfRounds, FiveRoundsGiveStudentsPairedT) {
  const Effect effect = effect_of_rounds(rounds_with({0.01, 0.02, 0.03, 0.04, 0.05}), {});
  EXPECT_EQ(effect.test, TestKind::levels);
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

TEST(EffectOfRounds, SixRoundsTakeThePermutationTest) {
  const Effect effect = effect_of_rounds(rounds_with({0.01, 0.02, 0.03, 0.04, 0.05, 0.06}), {});
  EXPECT_EQ(effect.test, TestKind::rounds);
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
  EXPECT_EQ(effect.test, TestKind::levels);
  EXPECT_NEAR(*effect.standard_error, std::sqrt(5.0 / 3), 1e-12);
  EXPECT_NEAR(effect.degrees, 2.941, 1e-3);
}

TEST(EffectOfInvocations, SixASideTakeThePermutationTest) {
  const Effect effect = effect_of_invocations(all_at({1, 2, 3, 4, 5, 6}), all_at({11, 12, 13, 14, 15, 16, 17}), {});
  EXPECT_EQ(effect.test, TestKind::invocations);
  EXPECT_EQ(effect.units, 6);
  EXPECT_DOUBLE_EQ(*effect.p, 1.0 / 1716);  // a score that is not symmetric has no mirrored arrangement
  EXPECT_NEAR(effect.log_ratio, 10.5, 0.51);
}

TEST(EffectOfInvocations, OneOnASideHasNoP) {
  EXPECT_FALSE(effect_of_invocations(all_at({1}), all_at({1, 2, 3, 4}), {}).p.has_value());
}

PairedRound round_with(std::vector<double> baseline, std::vector<double> candidate) {
  PairedRound round;
  round.baseline.logs = std::move(baseline);
  round.candidate.logs = std::move(candidate);
  return round;
}

TEST(MiddleMean, CutsATenthAtEachEnd) {
  EXPECT_DOUBLE_EQ(middle_mean(std::vector<double>{100, 1, 2, 3, 4, 5, 6, 7, 8, -50}), 4.5);
  // Of five values half of the first and of the last counts.
  EXPECT_DOUBLE_EQ(middle_mean(std::vector<double>{5, 1, 2, 3, 4}), (0.5 * 1 + 2 + 3 + 4 + 0.5 * 5) / 4);
  EXPECT_DOUBLE_EQ(middle_mean(std::vector<double>{7}), 7);
}

// Without spread inside processes this is Student's paired t: differences 1 to 5, mean 3, deviation 1.5811.
TEST(WeightedDifference, IsThePlainMeanWhereNothingTellsRoundsApart) {
  std::vector<PairedRound> rounds;
  for (int r = 1; r <= 5; ++r) rounds.push_back(round_with({0, 0}, {1.0 * r, 1.0 * r}));
  const WeightedMean found = weighted_difference(rounds);
  EXPECT_DOUBLE_EQ(found.mean, 3);
  EXPECT_NEAR(found.standard_error, 1.5811388 / std::sqrt(5.0), 1e-7);
  EXPECT_EQ(found.degrees, 4);
}

// Weights 1 / (common^2 + own^2): spreads 1, 1, 1, 1 and 4 of the two sides together, common 1.5.
TEST(WeightedDifference, ARoundWhoseSamplesDisagreeCountsLess) {
  std::vector<PairedRound> rounds;
  for (int r = 0; r < 5; ++r) {
    const double spread = r == 4 ? 4 : 1;
    const double level = r == 4 ? 10 : r % 2;
    rounds.push_back(round_with({0, 0, 0}, {level - spread, level, level + spread}));
  }
  const double light = 1 / (1.5 * 1.5 + 16);
  const double heavy = 1 / (1.5 * 1.5 + 1);
  const WeightedMean found = weighted_difference(rounds);
  EXPECT_NEAR(found.mean, (2 * heavy + 10 * light) / (4 * heavy + light), 1e-12);
}

TEST(WeightedDifference, TurnsWithTheSides) {
  const std::vector<PairedRound> there{round_with({1, 2, 3}, {2, 3, 9}), round_with({1, 1, 4}, {0, 2, 2})};
  const std::vector<PairedRound> back{round_with({2, 3, 9}, {1, 2, 3}), round_with({0, 2, 2}, {1, 1, 4})};
  EXPECT_DOUBLE_EQ(weighted_difference(there).mean, -weighted_difference(back).mean);
  EXPECT_DOUBLE_EQ(weighted_difference(there).standard_error, weighted_difference(back).standard_error);
}

// A test whose inversion is known: p falls linearly from 1 at `centre` to 0 at a distance of 1.
class Tent : public ShiftTest {
 public:
  explicit Tent(double centre, double least = 0) : centre_(centre), costs_(least) {}
  double statistic(double shift) const override { return centre_ - shift; }
  double p(double shift) const override { return std::max(costs_, 1 - std::fabs(shift - centre_)); }
  double min_p() const override { return costs_; }
  double start() const override { return 0.3; }
  double step() const override { return 0.01; }

 private:
  double centre_;
  double costs_;
};

double estimate_of(const Tent& test) { return Inversion(test).estimate(); }

TEST(InversionEstimate, IsWhereTheStatisticChangesSign) {
  EXPECT_NEAR(estimate_of(Tent(2.5)), 2.5, 3e-4);
  EXPECT_NEAR(estimate_of(Tent(-2.5)), -2.5, 3e-4);
  EXPECT_NEAR(estimate_of(Tent(0.304)), 0.304, 3e-4);
}

TEST(InversionEstimate, KeepsAStartThatFitsExactly) { EXPECT_EQ(estimate_of(Tent(0.3)), 0.3); }

TEST(InversionInterval, EndsWhereTheTestBeginsToReject) {
  for (const double centre : {2.5, 0.3, -7.0, 1e-3}) {
    const Tent test(centre);
    Inversion inversion(test);
    const auto wide = inversion.interval(0.05);
    const auto narrow = inversion.interval(0.10);
    ASSERT_TRUE(wide.has_value() && narrow.has_value());
    EXPECT_NEAR(wide->low, centre - 0.95, 2e-4);
    EXPECT_NEAR(wide->high, centre + 0.95, 2e-4);
    EXPECT_NEAR(narrow->low, centre - 0.90, 2e-4);
    EXPECT_NEAR(narrow->high, centre + 0.90, 2e-4);
  }
}

TEST(InversionInterval, IsTheSameInWhicheverOrderItIsAskedFor) {
  const Tent test(1.7);
  Inversion first(test);
  Inversion second(test);
  first.interval(0.05);
  const auto after = first.interval(0.10);
  const auto alone = second.interval(0.10);
  EXPECT_NEAR(after->low, alone->low, 2e-4);
  EXPECT_NEAR(after->high, alone->high, 2e-4);
}

TEST(InversionInterval, HoldsZeroExactlyIfNoEffectIsNotRejected) {
  for (const double centre : {0.9499, 0.94999, 0.95001, 0.9501, -0.94999, -0.95001, 0.0}) {
    const Tent test(centre);
    Inversion inversion(test);
    const auto interval = inversion.interval(0.05);
    ASSERT_TRUE(interval.has_value());
    EXPECT_EQ(interval->low <= 0 && interval->high >= 0, test.p(0) > 0.05) << centre;
  }
}

TEST(InversionInterval, IsAbsentWhereTheTestCannotRejectAnything) {
  const Tent test(0, 0.06);
  EXPECT_FALSE(Inversion(test).interval(0.05).has_value());
}

TEST(InversionInterval, NeedsFewEvaluations) {
  class Counted : public Tent {
   public:
    using Tent::Tent;
    double p(double shift) const override {
      ++count;
      return Tent::p(shift);
    }
    mutable int count = 0;
  };
  const Counted test(0.31);
  Inversion inversion(test);
  inversion.interval(0.05);
  inversion.interval(0.10);
  EXPECT_LT(test.count, 50);
}

}  // namespace

}  // namespace steelyard::regress::effect_test
