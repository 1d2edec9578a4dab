#include "regress/history/chain.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace steelyard::regress::chain_test {
namespace {

TEST(Chain, MultipliesRatiosAlongTheLineWhateverTheirOrder) {
  const std::vector<ChainStep> steps{
      {2, 3, std::log(0.9), 0.01}, {0, 1, std::log(1.1), 0.01}, {1, 2, std::log(1.2), 0.01}};
  const auto levels = chained_levels(4, steps, 0);
  ASSERT_TRUE(levels[3]);
  EXPECT_NEAR(std::exp(levels[3]->log_ratio), 1.1 * 1.2 * 0.9, 1e-12);
  EXPECT_NEAR(levels[3]->standard_error, 0.01 * std::sqrt(3.0), 1e-12);
  EXPECT_EQ(levels[3]->steps, 3U);
  EXPECT_EQ(levels[0]->log_ratio, 0);
}

TEST(Chain, GoesTheWayWithTheLeastError) {
  const std::vector<ChainStep> steps{{0, 2, std::log(1.5), 0.5}, {0, 1, 0, 0.01}, {1, 2, std::log(1.1), 0.01}};
  EXPECT_NEAR(std::exp(chained_levels(3, steps, 0)[2]->log_ratio), 1.1, 1e-12);
}

TEST(Chain, WeighsStepsBetweenTheSameTwoCommitsByTheirPrecision) {
  const std::vector<ChainStep> steps{{0, 1, 0.1, 0.1}, {1, 0, -0.4, 0.2}};
  const auto levels = chained_levels(2, steps, 0);
  EXPECT_NEAR(levels[1]->log_ratio, (0.1 * 4 + 0.4) / 5, 1e-12);
  EXPECT_NEAR(levels[1]->standard_error, std::sqrt(1 / 125.0), 1e-12);
}

TEST(Chain, HasNoLevelWhereNoWayLeads) {
  const auto levels = chained_levels(4, std::vector<ChainStep>{{2, 3, 0.1, 0.01}, {0, 9, 1, 1}, {1, 1, 1, 1}}, 0);
  EXPECT_TRUE(levels[0]);
  EXPECT_FALSE(levels[1]);
  EXPECT_FALSE(levels[2]);
  EXPECT_FALSE(levels[3]);
  EXPECT_FALSE(chained_levels(0, {}, 0).size());
}

TEST(Gaps, AreHalvedTheSuspectedOnesFirstThenTheLongest) {
  std::vector<bool> open(101, true);
  EXPECT_EQ(next_in_gaps(std::vector<ChainGap>{{0, 100, 0}}, open), 50U);
  EXPECT_EQ(next_in_gaps(std::vector<ChainGap>{{0, 50, 0}, {50, 60, 8}, {60, 100, 1}}, open), 55U);
  EXPECT_EQ(next_in_gaps(std::vector<ChainGap>{{0, 50, 0}, {50, 51, 8}, {51, 100, 0}}, open), 25U);
  EXPECT_FALSE(next_in_gaps(std::vector<ChainGap>{{0, 1, 9}, {1, 2, 0}}, open));
}

TEST(Gaps, StepAroundWhatCannotBeMeasured) {
  std::vector<bool> open(11, true);
  open[5] = open[4] = false;
  EXPECT_EQ(next_in_gaps(std::vector<ChainGap>{{0, 10, 0}}, open), 6U);
  EXPECT_FALSE(next_in_gaps(std::vector<ChainGap>{{3, 6, 0}}, open));
}

// A hundred commits with one change: its gap is halved until the two neighbours are measured, long before all are.
TEST(Gaps, LeadToAChangeWithTheLogarithmOfTheCommits) {
  constexpr std::size_t kCommits = 129;
  constexpr std::size_t kPlace = 83;
  std::vector<bool> open(kCommits, true);
  std::set<std::size_t> measured{0, kCommits - 1};
  int asked = 0;
  while (!measured.contains(kPlace) || !measured.contains(kPlace - 1)) {
    std::vector<ChainGap> gaps;
    for (auto one = measured.begin(); std::next(one) != measured.end(); ++one) {
      const std::size_t after = *std::next(one);
      gaps.push_back({*one, after, *one < kPlace && after >= kPlace ? 10.0 : 0.5});
    }
    const auto next = next_in_gaps(gaps, open);
    ASSERT_TRUE(next);
    measured.insert(*next);
    open[*next] = false;
    ++asked;
  }
  EXPECT_EQ(asked, 7);
}

}  // namespace
}  // namespace steelyard::regress::chain_test
