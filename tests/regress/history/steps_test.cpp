#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "regress/ab/distributions.hpp"
#include "regress/history/steps.hpp"

namespace steelyard::regress::steps_test {
namespace {

std::vector<double> rough_normals(std::size_t n, std::mt19937_64& engine) {
  std::vector<double> values;
  for (std::size_t i = 0; i < n; ++i) {
    double sum = -6;
    for (int k = 0; k < 12; ++k) sum += static_cast<double>(engine() >> 11) * 0x1p-53;
    values.push_back(sum);
  }
  return values;
}

TEST(POfLargest, IsNeverBelowThatOfASingleTest) {
  for (double t : {0.0, 1.0, 2.0, 3.0, 5.0, 8.0})
    for (std::size_t n : {6U, 30U, 1000U})
      EXPECT_GE(p_of_largest(t, 50, n, n), std::min(1.0, student_two_sided_p(t, 50))) << t << " " << n;
  EXPECT_GT(p_of_largest(1e9, 1000, 50, 50), 0);
}

TEST(POfLargest, BoundsTheLargestStandardizedSplitOfNormalValues) {
  std::mt19937_64 engine(1);
  constexpr std::size_t kN = 60;
  constexpr int kRuns = 2000;
  int beyond = 0;
  for (int run = 0; run < kRuns; ++run) {
    const std::vector<double> values = rough_normals(kN, engine);
    double sum = 0;
    for (double value : values) sum += value;
    double left = 0;
    double largest = 0;
    for (std::size_t cut = 1; cut < kN; ++cut) {  // every split, with the deviation known to be 1
      left += values[cut - 1];
      const auto l = static_cast<double>(cut);
      const auto r = static_cast<double>(kN - cut);
      largest = std::max(largest, std::fabs((sum - left) / r - left / l) / std::sqrt(1 / l + 1 / r));
    }
    if (p_of_largest(largest, 1e6, kN, kN) <= 0.05) ++beyond;
  }
  EXPECT_LE(beyond, 126);  // 100 expected; exact binomial, 1 - 1e-2
  EXPECT_GE(beyond, 40);   // and not vastly too careful: the formula is for a continuum of splits
}

TEST(HoldSteps, TakesAwayWhatIsNoStepAndKeepsWhatIs) {
  std::mt19937_64 engine(2);
  std::vector<double> values = rough_normals(80, engine);
  for (std::size_t i = 50; i < 80; ++i) values[i] += 6;
  const Noise noise = Noise::guess(values);
  const std::vector<std::size_t> proposed = {7, 20, 33, 49, 66};
  const auto steps = hold_steps(values, noise, proposed, {});
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0].begin, 50U);
  EXPECT_LE(steps[0].first, 50U);
  EXPECT_GE(steps[0].last, 50U);
  EXPECT_LE(steps[0].last - steps[0].first, 2U);
}

TEST(HoldSteps, TakesAwayABurst) {
  std::mt19937_64 engine(3);
  std::vector<double> values = rough_normals(80, engine);
  for (std::size_t i = 50; i < 54; ++i) values[i] += 30;
  const std::vector<std::size_t> proposed = {50, 54};
  EXPECT_TRUE(hold_steps(values, Noise::guess(values), proposed, {}).empty());
  for (std::size_t i = 54; i < 58; ++i) values[i] += 30;
  EXPECT_EQ(hold_steps(values, Noise::guess(values), std::vector<std::size_t>{50, 58}, {}).size(), 2U);
}

TEST(HoldSteps, LeavesAKnownStepWhereItIsUntilAnotherPlaceIsClearlyBetter) {
  std::mt19937_64 engine(4);
  std::vector<double> values = rough_normals(80, engine);
  for (std::size_t i = 40; i < 80; ++i) values[i] += 3;
  const Noise noise = Noise::guess(values);
  const auto at = [&](std::size_t known) {
    return hold_steps(values, noise, std::vector<std::size_t>{40}, {.known = {known}}).at(0).begin;
  };
  EXPECT_EQ(at(41), 41U);
  EXPECT_NEAR(static_cast<double>(at(35)), 40, 1);
}

TEST(Stretches, RangeIsThatOfThePlacesThatExplainNotClearlyLess) {
  std::vector<double> values(40, 0.0);
  for (std::size_t i = 0; i < 40; ++i) values[i] = (i % 2 == 0 ? 0.5 : -0.5) + (i >= 20 ? 2.0 : 0.0);
  const Noise noise = Noise::guess(values);
  const Stretches stretches(values, noise, std::vector<std::size_t>{20});
  const auto [first, last] = stretches.range(0);
  // Slow, obvious: squares around both means, for every place.
  const auto squares = [&](std::size_t cut) {
    double sum = 0;
    for (const auto& [from, to] : {std::pair<std::size_t, std::size_t>{0, cut}, {cut, 40}}) {
      double mean = 0;
      for (std::size_t i = from; i < to; ++i) mean += values[i] / static_cast<double>(to - from);
      for (std::size_t i = from; i < to; ++i) sum += (values[i] - mean) * (values[i] - mean);
    }
    return sum;
  };
  const double most = squares(20) + 7.35 * noise.scale() * noise.scale() * std::max(1.0, noise.inflation(8));
  std::size_t low = 20;
  while (low > 1 && squares(low - 1) <= most) --low;
  std::size_t high = 20;
  while (high < 39 && squares(high + 1) <= most) ++high;
  EXPECT_EQ(first, low);
  EXPECT_EQ(last, high);
}

double squares(const std::vector<double>& values, std::size_t from, std::size_t to) {
  double mean = 0;
  for (std::size_t i = from; i < to; ++i) mean += values[i] / static_cast<double>(to - from);
  double sum = 0;
  for (std::size_t i = from; i < to; ++i) sum += (values[i] - mean) * (values[i] - mean);
  return sum;
}

// Cost of a division, and the least of all by dynamic programming over every division.
double cost(const std::vector<double>& values, const std::vector<std::size_t>& steps, double penalty) {
  double sum = penalty * static_cast<double>(steps.size());
  std::size_t from = 0;
  for (std::size_t step : steps) {
    sum += squares(values, from, step);
    from = step;
  }
  return sum + squares(values, from, values.size());
}

double min_cost(const std::vector<double>& values, double penalty) {
  std::vector<double> best(values.size() + 1, std::numeric_limits<double>::infinity());
  best[0] = -penalty;
  for (std::size_t to = 1; to <= values.size(); ++to)
    for (std::size_t from = 0; from < to; ++from)
      best[to] = std::min(best[to], best[from] + penalty + squares(values, from, to));
  return best.back();
}

TEST(BestSteps, CostAsLittleAsTheBestOfAllDivisions) {
  std::mt19937_64 engine(1);
  for (int round = 0; round < 300; ++round) {
    std::vector<double> values;
    const std::size_t n = 2 + engine() % 60;
    double level = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (engine() % 8 == 0) level = static_cast<double>(engine() % 20);
      values.push_back(level + static_cast<double>(engine() % 1000) / 250);
    }
    const double penalty = static_cast<double>(1 + engine() % 40);
    const std::vector<std::size_t> steps = best_steps(values, penalty);
    EXPECT_NEAR(cost(values, steps, penalty), min_cost(values, penalty), 1e-9) << "round " << round;
  }
}

TEST(BestSteps, AreNoneWithoutADifference) {
  EXPECT_TRUE(best_steps({}, 1).empty());
  EXPECT_TRUE(best_steps(std::vector<double>{3}, 1).empty());
  EXPECT_TRUE(best_steps(std::vector<double>(50, 3), 1).empty());
}

TEST(BestSteps, FindOneStepWhereItIs) {
  std::vector<double> values(40, 1);
  std::fill(values.begin() + 17, values.end(), 2);
  EXPECT_EQ(best_steps(values, 0.5), std::vector<std::size_t>{17});
  EXPECT_TRUE(best_steps(values, 100).empty());
}

}  // namespace

}  // namespace steelyard::regress::steps_test
