#include "regress/ab/noise_parts.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/regress/simulated_runs.hpp"

namespace steelyard {
namespace {

struct Deviations {
  double within = 0.02;
  double between = 0.03;
  double rounds = 0.05;
  double slot = 0;
};

LogInvocation invocation(Simulation& simulation, const Deviations& deviations, double shared, int slot) {
  LogInvocation result;
  result.slot = slot;
  const double centre = shared + deviations.between * simulation.normal() + (slot == 1 ? deviations.slot : 0);
  std::vector<double> sorted;
  for (int i = 0; i < 11; ++i) result.logs.push_back(centre + deviations.within * simulation.normal());
  sorted = result.logs;
  std::sort(sorted.begin(), sorted.end());
  result.level = sorted[5];
  return result;
}

std::vector<PairedRound> simulated(int rounds, const Deviations& deviations) {
  Simulation simulation(3);
  std::vector<PairedRound> result;
  for (int r = 0; r < rounds; ++r) {
    const double shared = deviations.rounds * simulation.normal();
    PairedRound round;
    round.baseline = invocation(simulation, deviations, shared, r % 2);
    round.candidate = invocation(simulation, deviations, shared, 1 - r % 2);
    result.push_back(round);
  }
  return result;
}

TEST(NoiseOfRounds, FindsThePartsThatWereDrawn) {
  const NoiseParts parts = noise_of_rounds(simulated(400, {}));
  EXPECT_NEAR(*parts.within, 0.02, 0.001);
  EXPECT_NEAR(*parts.between, 0.03, 0.003);
  EXPECT_NEAR(*parts.rounds, 0.05, 0.005);
}

TEST(NoiseOfRounds, ASlotEffectIsNoNoise) {
  const NoiseParts equal = noise_of_rounds(simulated(60, {}));
  const NoiseParts unequal = noise_of_rounds(simulated(60, {.slot = 0.5}));
  EXPECT_NEAR(*equal.between, *unequal.between, 1e-9);
}

TEST(NoiseOfRounds, OneWildRoundInTwentyHardlyMoves) {
  auto rounds = simulated(20, {});
  const NoiseParts before = noise_of_rounds(rounds);
  for (double& value : rounds[7].candidate.logs) value += 3;
  rounds[7].candidate.level += 3;
  const NoiseParts after = noise_of_rounds(rounds);
  EXPECT_LT(*after.between, 1.5 * *before.between);
  EXPECT_EQ(*after.within, *before.within);
}

TEST(NoiseOfRounds, SaysNothingOfWhatTheDataDoNotHold) {
  const NoiseParts few = noise_of_rounds(simulated(3, {}));
  EXPECT_TRUE(few.within.has_value());
  EXPECT_FALSE(few.between.has_value());
  EXPECT_FALSE(few.rounds.has_value());
  auto rounds = simulated(6, {});
  for (PairedRound& round : rounds) {
    round.baseline.logs.resize(1);
    round.candidate.logs.resize(1);
  }
  EXPECT_FALSE(noise_of_rounds(rounds).within.has_value());
  EXPECT_TRUE(noise_of_rounds(rounds).between.has_value());
}

TEST(NoiseOfRounds, NoSpreadIsZeroAndNotAbsent) {
  const NoiseParts parts = noise_of_rounds(simulated(8, {0, 0, 0, 0}));
  EXPECT_EQ(*parts.within, 0);
  EXPECT_EQ(*parts.between, 0);
  EXPECT_EQ(*parts.rounds, 0);
}

TEST(NoiseOfInvocations, CountsWhatRoundsShareAmongTheInvocations) {
  std::vector<LogInvocation> baseline;
  std::vector<LogInvocation> candidate;
  for (const PairedRound& round : simulated(400, {})) {
    baseline.push_back(round.baseline);
    candidate.push_back(round.candidate);
  }
  const NoiseParts parts = noise_of_invocations(baseline, candidate);
  EXPECT_NEAR(*parts.within, 0.02, 0.001);
  EXPECT_NEAR(*parts.between, 0.0583, 0.006);
  EXPECT_FALSE(parts.rounds.has_value());
}

// |1 - 2|, |1 - 4|, |2 - 4|: median 2.
TEST(SpreadOfPairs, IsTheMedianDistanceOfPairs) {
  EXPECT_NEAR(*spread_of_pairs(std::vector<double>{1, 2, 4}), 2 / 0.9538726, 1e-6);
  EXPECT_FALSE(spread_of_pairs(std::vector<double>{1}).has_value());
}

}  // namespace
}  // namespace steelyard
