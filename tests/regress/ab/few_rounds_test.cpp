#include "regress/ab/few_rounds.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace steelyard {
namespace {

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

}  // namespace
}  // namespace steelyard
