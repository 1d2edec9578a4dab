#include "bench/suites/cpu/agreement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace steelyard::cpu_suite {
namespace {

using ::testing::HasSubstr;

TEST(Disagreement, IsAbsentUpToTheToleranceAndPresentAboveIt) {
  const std::vector<double> wanted{0.5};
  EXPECT_EQ(disagreement(std::vector<float>{0.625f}, wanted, 0.125), std::nullopt);
  EXPECT_NE(disagreement(std::vector<float>{0.625f}, wanted, 0.1249), std::nullopt);
}

TEST(Disagreement, ScalesTheToleranceWithLargeValuesOnly) {
  EXPECT_EQ(disagreement(std::vector<float>{1024.5f}, std::vector<double>{1024}, 1e-3), std::nullopt);
  EXPECT_NE(disagreement(std::vector<float>{0.0015f}, std::vector<double>{0}, 1e-3), std::nullopt);
}

TEST(Disagreement, NamesTheFirstValueThatIsOff) {
  const auto fault = disagreement(std::vector<float>{1, 2, 4, 9}, std::vector<double>{1, 2, 3, 3}, 1e-6);
  ASSERT_NE(fault, std::nullopt);
  EXPECT_THAT(*fault, HasSubstr("value 2 of the answer is 4, wanted 3"));
}

TEST(Disagreement, TakesNoNanForAnAnswer) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_NE(disagreement(std::vector<float>{nan}, std::vector<double>{0}, 1e6), std::nullopt);
}

TEST(Disagreement, TakesNoShorterAnswer) {
  EXPECT_NE(disagreement(std::vector<float>{1}, std::vector<double>{1, 1}, 1), std::nullopt);
  EXPECT_EQ(disagreement(std::vector<float>{}, std::vector<double>{}, 0), std::nullopt);
}

TEST(DotTolerance, StaysFarBelowWhatOneLostProductChanges) {
  EXPECT_DOUBLE_EQ(dot_tolerance(1), 1.0 / (1 << 24));
  EXPECT_DOUBLE_EQ(dot_tolerance(4), 8.0 / (1 << 24));
  EXPECT_LT(dot_tolerance(1024), 0.01);  // a product of two values of [-1, 1] is 1/4 on average
}

}  // namespace
}  // namespace steelyard::cpu_suite
