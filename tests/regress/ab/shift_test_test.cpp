#include "regress/ab/shift_test.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "regress/ab/pooled_ranks.hpp"
#include "tests/regress/simulated_runs.hpp"

namespace steelyard {
namespace {

std::vector<PairedRound> simulated_rounds(int rounds, double slot_effect, double ratio = 1, std::uint64_t seed = 4) {
  SimulationOptions options;
  options.rounds = rounds;
  options.noise.slot_effect = slot_effect;
  options.changed_benchmarks = 1;
  options.ratio = ratio;
  const SimulatedPair pair = Simulation(seed).draw(options);
  const auto logs = [](const Run& run) {
    const Measurement* measurement = run.measurements.data();
    return std::get<std::vector<LogInvocation>>(log_invocations(run, std::vector{measurement}));
  };
  return pair_rounds(logs(pair.baseline), logs(pair.candidate)).rounds;
}

std::vector<PairedRound> exchanged(std::vector<PairedRound> rounds) {
  for (PairedRound& round : rounds) std::swap(round.baseline, round.candidate);
  return rounds;
}

// Sides completely apart by `difference`, no noise at all.
std::vector<PairedRound> constant_rounds(int rounds, double difference) {
  std::vector<PairedRound> result;
  for (int r = 0; r < rounds; ++r) {
    const LogInvocation baseline{r, r % 2, {0, 0}, 0};
    const LogInvocation candidate{r, 1 - r % 2, {difference, difference}, difference};
    result.push_back({baseline, candidate});
  }
  return result;
}

TEST(RoundsTest, ASlotEffectOfAnySizeChangesNothingFromEightRoundsOn) {
  for (const int rounds : {8, 12, 15}) {
    const RoundsTest equal_slots(simulated_rounds(rounds, 0));
    const RoundsTest unequal_slots(simulated_rounds(rounds, 0.5));
    ASSERT_TRUE(unequal_slots.removes_slots());
    EXPECT_DOUBLE_EQ(equal_slots.p(0), unequal_slots.p(0)) << rounds;
    EXPECT_NEAR(unequal_slots.slot_effect(0) - equal_slots.slot_effect(0), 0.5, 1e-9);
  }
}

TEST(RoundsTest, ExchangingTheSidesKeepsPAndTurnsTheStatistic) {
  for (const int rounds : {6, 12, 15}) {
    const auto drawn = simulated_rounds(rounds, 0.02, 1.03);
    const RoundsTest there(drawn);
    const RoundsTest back(exchanged(drawn));
    EXPECT_DOUBLE_EQ(there.p(0), back.p(0)) << rounds;
    EXPECT_NEAR(there.statistic(0), -back.statistic(0), 1e-9) << rounds;
  }
}

TEST(RoundsTest, SupposingTheTrueShiftIsTheSameAsNoEffect) {
  const auto drawn = simulated_rounds(12, 0, 1);
  auto shifted = drawn;
  for (PairedRound& round : shifted) {
    round.candidate.level += 0.125;
    for (double& value : round.candidate.logs) value += 0.125;
  }
  EXPECT_DOUBLE_EQ(RoundsTest(shifted).p(0.125), RoundsTest(drawn).p(0));
}

TEST(RoundsTest, SidesExchangeWhereTheSlotsCannotReachFivePercent) {
  const RoundsTest six(constant_rounds(6, 0.1));
  EXPECT_FALSE(six.removes_slots());
  EXPECT_DOUBLE_EQ(six.p(0), 2.0 / 64);
  const RoundsTest eight(constant_rounds(8, 0.1));
  EXPECT_TRUE(eight.removes_slots());
  EXPECT_DOUBLE_EQ(eight.p(0), 2.0 / 70);
  EXPECT_DOUBLE_EQ(eight.least_p(), 2.0 / 70);
}

TEST(RoundsTest, OneOrderThroughoutKnowsNoSlots) {
  auto rounds = constant_rounds(12, 0.1);
  for (PairedRound& round : rounds) {
    round.baseline.slot = 0;
    round.candidate.slot = 1;
  }
  EXPECT_FALSE(RoundsTest(rounds).knows_slots());
}

TEST(RoundsTest, TheStatisticFallsAsTheSupposedShiftGrows) {
  const RoundsTest test(simulated_rounds(15, 0.03));
  EXPECT_GT(test.statistic(-1), 0);
  EXPECT_LT(test.statistic(1), 0);
  EXPECT_GE(test.statistic(-0.05), test.statistic(0.05));
}

TEST(InvocationsTest, NeedsNoRounds) {
  std::vector<LogInvocation> low;
  std::vector<LogInvocation> high;
  for (int i = 0; i < 6; ++i) {
    low.push_back({0, 0, {1.0 * i}, 1.0 * i});
    high.push_back({0, 0, {16.0 + i}, 16.0 + i});
  }
  const InvocationsTest test(low, high);
  EXPECT_DOUBLE_EQ(test.p(0), 2.0 / 924);
  EXPECT_DOUBLE_EQ(test.least_p(), 2.0 / 924);
  EXPECT_EQ(test.p(16), 1);
  EXPECT_DOUBLE_EQ(test.start(), 16);
}

}  // namespace
}  // namespace steelyard
