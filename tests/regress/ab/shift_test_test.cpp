#include <cmath>

#include <gtest/gtest.h>

#include "regress/ab/sample_scores.hpp"
#include "regress/ab/shift_test.hpp"
#include "tests/regress/simulated_runs.hpp"

namespace steelyard::regress::shift_test_test {
namespace {

// Differences of 16 rounds with a slot effect, the order in balanced pairs or drawn for each round alone.
std::vector<double> differences(Simulation& simulation, double slot, bool in_pairs, double noise = 1) {
  std::vector<double> result;
  double sign = 1;
  for (int r = 0; r < 16; ++r) {
    const bool drawn = !in_pairs || r % 2 == 0;
    sign = drawn ? (simulation.uniform() < 0.5 ? -1 : 1) : -sign;
    result.push_back(sign * slot + noise * simulation.normal());
  }
  return result;
}

TEST(OrderOfPairs, FindsALargeSlotEffectAndItsSigns) {
  Simulation simulation(1);
  const auto found = differences(simulation, 10, true, 0.5);
  const auto order = order_of_pairs(found);
  ASSERT_TRUE(order.has_value());
  for (std::size_t r = 0; r < found.size(); ++r) EXPECT_NEAR(order->raised[r], found[r], 2.5) << r;
}

TEST(OrderOfPairs, SeldomSeesAPatternInNoise) {
  Simulation simulation(2);
  int seen = 0;
  for (int trial = 0; trial < 400; ++trial) seen += order_of_pairs(differences(simulation, 0, true)) ? 1 : 0;
  EXPECT_LE(seen, 60);
}

// What makes its use valid: exchanging the sides of a pair turns the guess round and changes nothing else.
TEST(OrderOfPairs, TurnsWithThePair) {
  Simulation simulation(3);
  auto found = differences(simulation, 4, true);
  const auto before = order_of_pairs(found);
  found[6] = -found[6];
  found[7] = -found[7];
  const auto after = order_of_pairs(found);
  ASSERT_TRUE(before && after);
  for (std::size_t r = 0; r < found.size(); ++r) {
    EXPECT_EQ(after->raised[r], r == 6 || r == 7 ? -before->raised[r] : before->raised[r]) << r;
  }
}

TEST(OrderBySign, TurnsWithTheRound) {
  Simulation simulation(4);
  auto found = differences(simulation, 6, false);
  const auto before = order_by_sign(found);
  found[3] = -found[3];
  const auto after = order_by_sign(found);
  ASSERT_TRUE(before && after);
  for (std::size_t r = 0; r < found.size(); ++r) {
    EXPECT_EQ(after->raised[r], r == 3 ? -before->raised[r] : before->raised[r]) << r;
  }
}

TEST(OrderBySign, IsAbsentWhereDifferencesLieAroundZero) {
  Simulation simulation(5);
  int seen = 0;
  for (int trial = 0; trial < 400; ++trial) seen += order_by_sign(differences(simulation, 0, false)) ? 1 : 0;
  EXPECT_LE(seen, 120);
  EXPECT_FALSE(order_by_sign(std::vector<double>(16, 0.0)).has_value());
}

TEST(GuessedOrder, NeedsRounds) {
  EXPECT_FALSE(order_of_pairs(std::vector<double>{1, -1, 1, -1, 1, -1, 1, -1, 1, -1}).has_value());
  EXPECT_FALSE(order_by_sign(std::vector<double>{1, -1, 1, -1, 1, -1, 1, -1}).has_value());
}

TEST(SumsOfPairs, LeaveALastRoundAlone) {
  EXPECT_EQ(sums_of_pairs(std::vector<double>{1, 2, 3, 4, 5}), (std::vector<double>{3, 7, 5}));
}

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

TEST(RoundsTest, ASlotEffectThatCanBeSeenChangesNothingWhateverItsSize) {
  for (const int rounds : {8, 12, 15}) {
    const RoundsTest unequal(simulated_rounds(rounds, 0.5));
    const RoundsTest more_unequal(simulated_rounds(rounds, 2.5));
    ASSERT_TRUE(unequal.draws_slots(0) && more_unequal.draws_slots(0));
    EXPECT_DOUBLE_EQ(unequal.p(0), more_unequal.p(0)) << rounds;
    EXPECT_NEAR(more_unequal.slot_effect(0) - unequal.slot_effect(0), 2.0, 1e-9);
  }
}

TEST(RoundsTest, BelowTwelveRoundsSlotsAreDrawnOnlyWhereTheyDiffer) {
  EXPECT_FALSE(RoundsTest(constant_rounds(8, 0.1)).draws_slots(0.1));
  EXPECT_TRUE(RoundsTest(simulated_rounds(8, 0.5)).draws_slots(0));
  EXPECT_TRUE(RoundsTest(constant_rounds(12, 0.1)).draws_slots(0.1));
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
  EXPECT_FALSE(six.draws_slots(0));
  EXPECT_DOUBLE_EQ(six.p(0), 2.0 / 64);
  const RoundsTest twelve(constant_rounds(12, 0.1));
  EXPECT_TRUE(twelve.draws_slots(0));
  EXPECT_DOUBLE_EQ(twelve.p(0), 2.0 / 924);
  EXPECT_DOUBLE_EQ(twelve.min_p(), 2.0 / 924);
}

std::vector<PairedRound> without_order(std::vector<PairedRound> rounds) {
  for (PairedRound& round : rounds) round.baseline.slot = round.candidate.slot = 0;
  return rounds;
}

TEST(RoundsTest, ALargeSlotEffectOfUnknownOrderHidesNoEffectInBalancedPairs) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const RoundsTest test(without_order(simulated_rounds(16, 0.4, 1.15, seed)));
    ASSERT_FALSE(test.knows_slots());
    found += test.p(0) <= 0.05 ? 1 : 0;
  }
  EXPECT_GE(found, 17);
}

// The oracle of the whole: p by trying every exchange of the sides, scores by the definition.
TEST(RoundsTest, AgreesWithExchangingTheSidesInEveryWay) {
  const auto rounds = simulated_rounds(7, 0.0, 1.02, 9);
  const auto statistic = [&](unsigned exchanged) {
    std::vector<PooledScores::Group> groups;
    for (std::size_t r = 0; r < rounds.size(); ++r) {
      const bool turn = (exchanged >> r & 1U) != 0;
      groups.push_back({(turn ? rounds[r].candidate : rounds[r].baseline).logs, 0});
      groups.push_back({(turn ? rounds[r].baseline : rounds[r].candidate).logs, 0});
    }
    const auto scores = PooledScores(groups, Disturbed::upwards).mean_scores({});
    std::vector<double> pooled;
    std::vector<double> in_round;
    for (std::size_t r = 0; r < rounds.size(); ++r) {
      pooled.push_back(scores[2 * r + 1] - scores[2 * r]);
      double pairs = 0;
      for (const double b : groups[2 * r].values) {
        for (const double c : groups[2 * r + 1].values) pairs += c > b ? 1 : c < b ? -1 : 0;
      }
      in_round.push_back(pairs);
    }
    double sum = 0;
    for (const double score : add_views(pooled, in_round)) sum += score;
    return std::fabs(sum);
  };
  int extreme = 0;
  for (unsigned exchanged = 0; exchanged < 128; ++exchanged) extreme += statistic(exchanged) >= statistic(0) - 1e-9;
  // The table of sums rounds scores to a 36th of their largest: an arrangement or two may change places.
  EXPECT_NEAR(RoundsTest(rounds).p(0), extreme / 128.0, 4.0 / 128);
}

TEST(RoundsTest, DisturbedDownwardsIsTheMirrorImage) {
  auto rounds = simulated_rounds(15, 0, 1.01, 12);
  const double p = RoundsTest(rounds).p(0);
  for (PairedRound& round : rounds) {
    for (LogInvocation* side : {&round.baseline, &round.candidate}) {
      for (double& value : side->logs) value = -value;
      side->level = -side->level;
    }
  }
  EXPECT_NEAR(RoundsTest(rounds, Disturbed::downwards).p(0), p, 1e-12);
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
  EXPECT_DOUBLE_EQ(test.min_p(), 2.0 / 924);
  EXPECT_EQ(test.p(16), 1);
  EXPECT_DOUBLE_EQ(test.start(), 16);
}

}  // namespace

}  // namespace steelyard::regress::shift_test_test
