#include "tests/studies/judging/mean_ranks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace steelyard::judging::mean_ranks_test {
namespace {

using ::testing::ElementsAre;

TEST(MeanRanks, RanksAllGroupsTogether) {
  std::vector<regress::GroupedValue> values{{10, 0}, {40, 0}, {20, 1}, {30, 1}};
  EXPECT_THAT(mean_ranks(values, 2), ElementsAre(2.5, 2.5));
}

TEST(MeanRanks, TiesShareTheMeanOfTheirRanks) {
  std::vector<regress::GroupedValue> values{{5, 0}, {5, 1}, {5, 1}, {9, 2}};
  EXPECT_THAT(mean_ranks(values, 3), ElementsAre(2, 2, 4));
}

TEST(MeanRanks, AGroupWithoutValuesHasZero) {
  std::vector<regress::GroupedValue> values{{5, 1}};
  EXPECT_THAT(mean_ranks(values, 2), ElementsAre(0, 1));
}

}  // namespace
}  // namespace steelyard::judging::mean_ranks_test
