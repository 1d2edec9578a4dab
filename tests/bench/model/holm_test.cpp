#include "bench/model/holm.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace steelyard {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;

TEST(Holm, MultipliesByWhatIsLeftAndNeverFalls) {
  EXPECT_THAT(holm_adjusted(std::vector<double>{0.01, 0.04, 0.03, 0.005}),
              ElementsAre(DoubleEq(0.03), DoubleEq(0.06), DoubleEq(0.06), DoubleEq(0.02)));
}

TEST(Holm, OneComparisonKeepsItsP) { EXPECT_THAT(holm_adjusted(std::vector<double>{0.03}), ElementsAre(0.03)); }

TEST(Holm, IsAtMostOne) { EXPECT_THAT(holm_adjusted(std::vector<double>{0.9, 0.8}), ElementsAre(1, 1)); }

TEST(Holm, EqualPGetEqualQ) {
  const auto q = holm_adjusted(std::vector<double>{0.01, 0.01, 0.5});
  EXPECT_DOUBLE_EQ(q[0], 0.03);
  EXPECT_DOUBLE_EQ(q[1], 0.03);
}

TEST(Holm, KeepsThePlaceOfEachP) {
  EXPECT_EQ(holm_adjusted(std::vector<double>{0.01, 0.04, 0.03}), (std::vector<double>{0.03, 0.06, 0.06}));
}

TEST(Holm, CountsMembersThatWereNotTested) {
  const std::vector<double> padded = holm_adjusted(std::vector<double>{0.01, 0.04, 0.03, 1, 1});
  EXPECT_EQ(holm_adjusted(std::vector<double>{0.01, 0.04, 0.03}, 2),
            std::vector<double>(padded.begin(), padded.begin() + 3));
}

TEST(Holm, NothingGivesNothing) { EXPECT_TRUE(holm_adjusted(std::vector<double>{}).empty()); }

}  // namespace
}  // namespace steelyard
