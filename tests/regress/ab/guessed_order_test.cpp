#include "regress/ab/guessed_order.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/regress/simulated_runs.hpp"

namespace steelyard {
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

}  // namespace
}  // namespace steelyard
