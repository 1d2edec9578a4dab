#include "bench/model/quantile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace steelyard::quantile_test {
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

// Whichever way the middle is found: by counting, by moving parts, or by the library.
TEST(Median, IsThatOfTheSortedValuesForAnyNumberOfThemWithAndWithoutTies) {
  std::uint64_t state = 1;
  for (const std::uint64_t distinct : {1, 2, 5, 1'000'000'000}) {
    for (const std::size_t n : {1, 2, 5, 15, 16, 17, 18, 100, 101, 1023, 1024, 1025, 3000}) {
      std::vector<double> values;
      for (std::size_t i = 0; i < n; ++i) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        values.push_back(static_cast<double>((state >> 33U) % distinct) - 3);
      }
      std::vector<double> sorted = values;
      std::sort(sorted.begin(), sorted.end());
      EXPECT_EQ(median(values), n % 2 == 1 ? sorted[n / 2] : 0.5 * sorted[n / 2 - 1] + 0.5 * sorted[n / 2])
          << n << " of " << distinct;
      EXPECT_EQ(median(sorted), median(values)) << n << " of " << distinct;
    }
  }
}

TEST(Median, OfTheLargestNumbersDoesNotOverflow) { EXPECT_EQ(median({1.7e308, 1.7e308}), 1.7e308); }

}  // namespace
}  // namespace steelyard::quantile_test
