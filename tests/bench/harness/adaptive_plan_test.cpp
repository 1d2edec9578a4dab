#include "bench/harness/adaptive_plan.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace steelyard {
namespace {

std::vector<double> counted(std::size_t n) {
  std::vector<double> values(n);
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

// Ranks of the sign test's interval: Conover, Practical Nonparametric Statistics, binomial tables at one half.
TEST(SignInterval, EndsAtTheRanksOfTheBinomialTable) {
  const auto ends = [](std::size_t n) {
    const auto interval = sign_interval(counted(n));
    return interval ? std::pair(interval->low, interval->high) : std::pair(0.0, 0.0);
  };
  EXPECT_EQ(ends(5), std::pair(0.0, 0.0)) << "1 - 2/32 is below 95 %";
  EXPECT_EQ(ends(6), std::pair(1.0, 6.0));
  EXPECT_EQ(ends(8), std::pair(1.0, 8.0));
  EXPECT_EQ(ends(9), std::pair(2.0, 8.0));
  EXPECT_EQ(ends(10), std::pair(2.0, 9.0));
  EXPECT_EQ(ends(20), std::pair(6.0, 15.0));
  EXPECT_EQ(ends(100), std::pair(40.0, 61.0));
}

TEST(SignInterval, OrderDoesNotMatter) {
  std::vector<double> values = counted(9);
  std::swap(values[0], values[8]);
  EXPECT_EQ(sign_interval(values)->low, 2);
}

TEST(Halves, AgreeUnlessTheirIntervalsLieApart) {
  std::vector<double> level(20, 1.0);
  EXPECT_TRUE(halves_agree(level));
  std::vector<double> falling = level;
  std::fill(falling.begin(), falling.begin() + 10, 2.0);
  EXPECT_FALSE(halves_agree(falling));
  EXPECT_TRUE(halves_agree({2, 2, 1, 1})) << "too few to tell";
}

TEST(Plan, BlocksGrowWithTheSquareOfTheSpread) {
  std::vector<double> pilot(20);
  for (std::size_t i = 0; i < pilot.size(); ++i) pilot[i] = 100 + static_cast<double>(i) - 9.5;
  // Ranks 6 and 15 are 95.5 and 104.5: half width 4.5 of 100.
  EXPECT_DOUBLE_EQ(*relative_precision(pilot), 0.045);
  EXPECT_EQ(plan_blocks(pilot, 0.045, 1, 1000), 20U);
  EXPECT_EQ(plan_blocks(pilot, 0.0225, 1, 1000), 80U);
  EXPECT_EQ(plan_blocks(pilot, 0.0225, 90, 1000), 90U);
  EXPECT_EQ(plan_blocks(pilot, 0.0225, 1, 50), 50U);
  EXPECT_EQ(plan_blocks(pilot, 0.0225, 90, 5), 5U) << "the limit wins";
  EXPECT_EQ(plan_blocks(pilot, 0.5, 1, 1000), 20U) << "never fewer than 20 for want of noise";
  EXPECT_EQ(plan_blocks(pilot, 1e-300, 1, 1000), 1000U);
}

TEST(Plan, PilotThatTellsNothingAsksForTheLeast) {
  EXPECT_EQ(plan_blocks({1, 2}, 0.01, 1, 1000), 20U);
  EXPECT_EQ(plan_blocks({}, 0.01, 1, 1000), 20U);
}

}  // namespace
}  // namespace steelyard
