#include "bench/suites/cuda/arithmetic/answer_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace steelyard::cuda_suite {
namespace {

using testing::HasSubstr;

TEST(DeviceAgreement, HoldsUpToTheBoundOfEachValue) {
  const std::vector<Wanted> wanted{{1.0, 0.5}, {100.0, 0.0}, {2.0, 0.25}};
  EXPECT_TRUE(agreement("x", std::vector<double>{1.5, 100.0, 1.75}, wanted));
  EXPECT_FALSE(agreement("x", std::vector<double>{1.5, 100.0, 1.74}, wanted));
  EXPECT_FALSE(agreement("x", std::vector<double>{1.5, 100.00001, 2.0}, wanted));
}

TEST(DeviceAgreement, NamesTheWorstValueByDistanceOverBound) {
  const std::vector<Wanted> wanted{{1, 1}, {1, 0.1}, {1, 1}, {1, 1}};
  const auto agreed = agreement("softmax", std::vector<double>{4, 3, 1, 1}, wanted, {.first = 6, .columns = 4});
  ASSERT_FALSE(agreed);
  EXPECT_EQ(agreed.error().kind, ErrorKind::program);
  EXPECT_EQ(agreed.error().where, "softmax, row 1, column 3");
  EXPECT_EQ(agreed.error().found, "3");
  EXPECT_EQ(agreed.error().wanted, "1 within 0.1");
  EXPECT_THAT(agreed.error().mend, HasSubstr("2 of 4"));
}

TEST(DeviceAgreement, NoNumberAgreesWithNoNumberAlone) {
  const double none = std::nan("");
  EXPECT_TRUE(agreement("x", std::vector<double>{none}, std::vector<Wanted>{{none, 0}}));
  EXPECT_FALSE(agreement("x", std::vector<double>{none}, std::vector<Wanted>{{1, 1e300}}));
  EXPECT_FALSE(agreement("x", std::vector<double>{1}, std::vector<Wanted>{{none, 1e300}}));
}

TEST(DeviceAgreement, InfinityAgreesWithItsLikeAlone) {
  EXPECT_TRUE(agreement("x", std::vector<double>{INFINITY}, std::vector<Wanted>{{INFINITY, 0}}));
  EXPECT_FALSE(agreement("x", std::vector<double>{-INFINITY}, std::vector<Wanted>{{INFINITY, INFINITY}}));
  EXPECT_FALSE(agreement("x", std::vector<double>{INFINITY}, std::vector<Wanted>{{1, 1e300}}));
  EXPECT_FALSE(agreement("x", std::vector<double>{1}, std::vector<Wanted>{{INFINITY, INFINITY}}));
}

TEST(DeviceAgreement, OfAnotherLengthIsAMistake) {
  EXPECT_FALSE(agreement("x", std::vector<double>{1}, std::vector<Wanted>{}));
}

TEST(DeviceAgreement, GrowthOfRoundingsIsAtLeastTheirSum) {
  EXPECT_GE(float_growth(100), 100 * 0x1p-24);
  EXPECT_LT(float_growth(100), 101 * 0x1p-24);
}

}  // namespace
}  // namespace steelyard::cuda_suite
