#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "bench/harness/numpy_random.hpp"
#include "bench/harness/pair_comparison.hpp"
#include "tests/studies/median_study.hpp"

namespace steelyard::pair_comparison_test {
namespace {

// The slow, obvious oracle: the U statistic of every way to split the values.
double p_by_enumeration(const std::vector<double>& first, const std::vector<double>& second) {
  std::vector<double> all = first;
  all.insert(all.end(), second.begin(), second.end());
  const auto u_of = [&](const std::vector<bool>& is_first) {
    double u = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t j = 0; j < all.size(); ++j) {
        if (is_first[i] && !is_first[j]) u += all[i] > all[j] ? 1 : all[i] == all[j] ? 0.5 : 0;
      }
    }
    return std::abs(u - 0.5 * static_cast<double>(first.size() * second.size()));
  };
  std::vector<bool> marks(all.size(), false);
  std::fill(marks.begin(), marks.begin() + static_cast<std::ptrdiff_t>(first.size()), true);
  const double seen = u_of(marks);
  double as_far = 0;
  double arrangements = 0;
  do {
    arrangements += 1;
    if (u_of(marks) >= seen - 1e-9) as_far += 1;
  } while (std::prev_permutation(marks.begin(), marks.end()));
  return as_far / arrangements;
}

TEST(RankTest, IsExactWithAndWithoutTies) {
  NumpyRandom random(4);
  for (int round = 0; round < 40; ++round) {
    std::vector<double> first;
    std::vector<double> second;
    for (int i = 0; i < 4 + round % 3; ++i)
      first.push_back(static_cast<double>(random.integer(0, round % 2 ? 4 : 1000)));
    for (int i = 0; i < 5; ++i) second.push_back(static_cast<double>(random.integer(1, round % 2 ? 5 : 1000)));
    const RankTest test = rank_test(first, second);
    EXPECT_EQ(test.method, RankMethod::exact);
    EXPECT_NEAR(test.p, p_by_enumeration(first, second), 1e-12);
  }
}

TEST(RankTest, GivesThePublishedCriticalValue) {
  // Mann and Whitney 1947, table for n = m = 5: U <= 2 has a one-sided chance of 4/252.
  EXPECT_NEAR(rank_test(std::vector<double>{1, 2, 3, 4, 7}, std::vector<double>{5, 6, 8, 9, 10}).p, 8.0 / 252, 1e-12);
}

TEST(RankTest, FourAgainstFourIsTheLeastThatReachesFivePercent) {
  EXPECT_GT(min_rank_p(3, 3), 0.05);
  EXPECT_NEAR(min_rank_p(4, 4), 2.0 / 70, 1e-12);
  EXPECT_NEAR(rank_test(std::vector<double>{1, 2, 3, 4}, std::vector<double>{5, 6, 7, 8}).p, min_rank_p(4, 4), 1e-12);
}

TEST(RankTest, CompleteSeparationOfTwentyFiveHasOneWayEachSide) {
  std::vector<double> first;
  std::vector<double> second;
  for (int i = 0; i < 25; ++i) first.push_back(i);
  for (int i = 0; i < 25; ++i) second.push_back(100 + i);
  EXPECT_NEAR(rank_test(first, second).p / (2 / 126410606437752.0), 1, 1e-9);  // C(50, 25)
}

TEST(RankTest, FindsNothingInNothing) {
  EXPECT_EQ(rank_test({}, std::vector<double>{1, 2}).p, 1);
  EXPECT_EQ(rank_test({}, std::vector<double>{1, 2}).method, RankMethod::none);
  EXPECT_EQ(rank_test(std::vector<double>(4, 2.0), std::vector<double>(4, 2.0)).p, 1);
  EXPECT_EQ(rank_test(std::vector<double>(100, 2.0), std::vector<double>(100, 2.0)).p, 1);
  EXPECT_EQ(min_rank_p(0, 9), 1);
}

TEST(RankTest, NormalApproximationMeetsTheExactOneWhereTheyHandOver) {
  NumpyRandom random(9);
  for (int round = 0; round < 20; ++round) {
    std::vector<double> first;
    std::vector<double> second;
    for (int i = 0; i < 25; ++i) first.push_back(random.normal(0, 1));
    for (int i = 0; i < 25; ++i) second.push_back(random.normal(0.5, 1));
    const double exact = rank_test(first, second).p;
    second.push_back(0.25);
    const double normal = rank_test(first, second).p;
    EXPECT_EQ(rank_test(first, second).method, RankMethod::normal);
    EXPECT_NEAR(std::log10(normal), std::log10(exact), 0.2);
  }
}

TEST(RankTest, DependenceWeakensIt) {
  std::vector<double> first;
  std::vector<double> second;
  for (int i = 0; i < 30; ++i) first.push_back(i);
  for (int i = 0; i < 30; ++i) second.push_back(i + 9);
  const double independent = rank_test(first, second).p;
  EXPECT_LT(independent, 0.001);
  EXPECT_GT(rank_test(first, second, {4}).p, 20 * independent);
}

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

}  // namespace steelyard::pair_comparison_test
