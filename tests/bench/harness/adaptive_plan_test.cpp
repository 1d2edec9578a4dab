#include "bench/harness/adaptive_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "bench/harness/median_interval.hpp"
#include "bench/harness/numpy_random.hpp"

namespace steelyard {
namespace {

// 100 with 5 % of noise.
std::vector<double> noisy(std::size_t n) {
  NumpyRandom random(4);
  std::vector<double> times(n);
  for (double& time : times) time = random.normal(100, 5);
  return times;
}

TEST(Halves, AgreeUnlessTheirIntervalsLieApart) {
  EXPECT_TRUE(halves_agree(noisy(20)));
  std::vector<double> falling = noisy(20);
  for (std::size_t i = 0; i < 10; ++i) falling[i] += 50;
  EXPECT_FALSE(halves_agree(falling));
  EXPECT_TRUE(halves_agree(std::array{2.0, 2.0, 1.0, 1.0})) << "too few to tell";
  EXPECT_TRUE(halves_agree({}));
}

TEST(Plan, PrecisionIsHalfTheIntervalOverTheMedian) {
  const std::vector<double> times = noisy(20);
  const MedianInterval interval = median_interval(times);
  EXPECT_DOUBLE_EQ(*relative_precision(times), (interval.bounds->high - interval.bounds->low) / 2 / interval.median);
  EXPECT_EQ(relative_precision({}), std::nullopt);
  EXPECT_EQ(relative_precision(std::array{1.0, 2.0}), std::nullopt);
}

TEST(Plan, BlocksGrowWithTheSquareOfTheSpread) {
  const std::vector<double> pilot = noisy(20);
  const double reached = *relative_precision(pilot);
  EXPECT_EQ(plan_blocks(pilot, reached, 1, 1000), 20U);
  EXPECT_EQ(plan_blocks(pilot, reached / 2, 1, 1000), 80U);
  EXPECT_EQ(plan_blocks(pilot, reached / 2, 90, 1000), 90U);
  EXPECT_EQ(plan_blocks(pilot, reached / 2, 1, 50), 50U);
  EXPECT_EQ(plan_blocks(pilot, reached / 2, 90, 5), 5U) << "the limit wins";
  EXPECT_EQ(plan_blocks(pilot, reached * 10, 1, 1000), 20U) << "never fewer than 20 for want of noise";
  EXPECT_EQ(plan_blocks(pilot, 1e-300, 1, 1000), 1000U);
}

TEST(Plan, PilotWithoutAnIntervalAsksForTenTimesItsBlocks) {
  EXPECT_EQ(plan_blocks(std::array{1.0, 2.0, 3.0}, 0.01, 1, 1000), 30U);
  EXPECT_EQ(plan_blocks({}, 0.01, 1, 1000), 20U);
}

}  // namespace
}  // namespace steelyard
