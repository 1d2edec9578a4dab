#include "bench/harness/pair_comparison.hpp"

#include <gtest/gtest.h>

#include "tests/studies/median_study.hpp"

namespace steelyard {
namespace {

PairOutcome compared(const std::vector<double>& first, const std::vector<double>& second, PairRules rules = {}) {
  const MedianInterval first_level = median_interval(first);
  const MedianInterval second_level = median_interval(second);
  return compare_pair({first, first_level}, {second, second_level}, rules);
}

TEST(PairComparison, ThreeAgainstThreeCannotBeDecided) {
  EXPECT_FALSE(compared({1, 2, 3}, {7, 8, 9}).is_decidable);
  EXPECT_TRUE(compared({1, 2, 3, 4}, {7, 8, 9, 10}).is_decidable);
  EXPECT_TRUE(compared({1, 2, 3, 4}, {7, 8, 9, 10}).is_extreme);
}

TEST(PairComparison, CountsDifferWhereTheirRangesDoNotMeet) {
  const PairRules exact{true};
  EXPECT_EQ(compared({100}, {101}, exact).p, 0);
  EXPECT_EQ(compared({100, 103}, {101, 105}, exact).p, 1);
  EXPECT_EQ(compared({100}, {100}, exact).p, 1);
}

TEST(PairComparison, DependentSamplesAreWeakerEvidence) {
  NumpyRandom random(3);
  const std::vector<double> first = simulated_times(SimulatedNoise::autocorrelated_05, 100, random);
  std::vector<double> second = simulated_times(SimulatedNoise::autocorrelated_05, 100, random);
  for (double& time : second) time += 2;
  PairRules independent;
  independent.are_independent = true;
  EXPECT_GT(compared(first, second).p, 5 * compared(first, second, independent).p);
}

TEST(PairComparison, ADriftingSideIsBelievedOnlyWhereItsDriftCannotBridgeTheGap) {
  std::vector<double> rising;
  for (int i = 0; i < 50; ++i) rising.push_back(100 + i);
  const std::vector<double> far(50, 500);
  EXPECT_TRUE(compared(rising, far).is_decidable);
  EXPECT_LT(compared(rising, far).p, 1e-6);
  const std::vector<double> close(50, 160);
  EXPECT_FALSE(compared(rising, close).is_decidable);
}

}  // namespace
}  // namespace steelyard
