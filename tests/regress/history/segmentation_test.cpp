#include "regress/history/segmentation.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>

namespace steelyard {
namespace {

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

double least_cost(const std::vector<double>& values, double penalty) {
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
    EXPECT_NEAR(cost(values, steps, penalty), least_cost(values, penalty), 1e-9) << "round " << round;
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
}  // namespace steelyard
