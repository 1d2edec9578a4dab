#include "bench/model/quantile.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace steelyard {
namespace {

TEST(Quantile, InterpolatesBetweenNeighbours) {
  const std::vector<double> ascending{1, 2, 4, 8};
  EXPECT_EQ(quantile_of_sorted(ascending, 0), 1);
  EXPECT_EQ(quantile_of_sorted(ascending, 0.25), 1.75);
  EXPECT_EQ(quantile_of_sorted(ascending, 0.5), 3);
  EXPECT_EQ(quantile_of_sorted(ascending, 1), 8);
}

TEST(Quantile, OfOneValueIsThatValue) {
  const std::vector<double> one{5};
  for (const double p : {0.0, 0.3, 1.0}) EXPECT_EQ(quantile_of_sorted(one, p), 5);
}

TEST(Median, IsTheMiddleOrTheMeanOfTheTwoMiddleOnes) {
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({9, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 9, 2}), 3);
}

TEST(Median, OfTheLargestNumbersDoesNotOverflow) { EXPECT_EQ(median({1.7e308, 1.7e308}), 1.7e308); }

}  // namespace
}  // namespace steelyard
