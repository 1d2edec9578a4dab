#include "regress/ab/pooled_ranks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace steelyard {
namespace {

using ::testing::ElementsAre;

TEST(MeanRanks, RanksAllGroupsTogether) {
  std::vector<GroupedValue> values{{10, 0}, {40, 0}, {20, 1}, {30, 1}};
  EXPECT_THAT(mean_ranks(values, 2), ElementsAre(2.5, 2.5));
}

TEST(MeanRanks, TiesShareTheMeanOfTheirRanks) {
  std::vector<GroupedValue> values{{5, 0}, {5, 1}, {5, 1}, {9, 2}};
  EXPECT_THAT(mean_ranks(values, 3), ElementsAre(2, 2, 4));
}

TEST(MeanRanks, AGroupWithoutValuesHasZero) {
  std::vector<GroupedValue> values{{5, 1}};
  EXPECT_THAT(mean_ranks(values, 2), ElementsAre(0, 1));
}

// Averages of pairs of 1, 2, 10: 1, 1.5, 2, 5.5, 6, 10.
TEST(HodgesLehmann, IsTheMedianOfPairAverages) {
  EXPECT_DOUBLE_EQ(hodges_lehmann(std::vector<double>{10, 1, 2}), 3.75);
  EXPECT_EQ(hodges_lehmann(std::vector<double>{7}), 7);
}

TEST(HodgesLehmann, OneWildValueMovesItLittle) { EXPECT_LT(hodges_lehmann(std::vector<double>{1, 2, 3, 4, 1e9}), 5); }

TEST(HodgesLehmann, StaysNearTheMiddleWhereTheMedianStandsIn) {
  std::vector<double> values(201);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  EXPECT_EQ(hodges_lehmann(values), 100);
}

}  // namespace
}  // namespace steelyard
