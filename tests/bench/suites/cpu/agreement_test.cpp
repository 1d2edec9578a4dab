#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "bench/suites/cpu/agreement.hpp"

namespace steelyard::cpu_suite::agreement_test {
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

// The standard fixes the 10000th number of the engine's default seed: 4123659995.
TEST(SeededValues, MapTheBitsThatTheStandardFixes) {
  const std::vector<float> values = seeded_values(10000, 5489);
  const double upper_bits = static_cast<double>(4123659995u >> 8);
  EXPECT_EQ(static_cast<double>(values.back()), upper_bits / (1 << 23) - 1);
}

TEST(SeededValues, AreTheSameForASeedAndOthersForAnother) {
  EXPECT_EQ(seeded_values(50, 1), seeded_values(50, 1));
  EXPECT_NE(seeded_values(50, 1), seeded_values(50, 2));
}

TEST(SeededValues, StayWithinTheirLimitAndReachBothEnds) {
  float least = 0;
  float largest = 0;
  for (const float value : seeded_values(10000, 3, 10.0f)) {
    ASSERT_GE(value, -10.0f);
    ASSERT_LT(value, 10.0f);
    least = std::min(least, value);
    largest = std::max(largest, value);
  }
  EXPECT_LT(least, -9.9f);
  EXPECT_GT(largest, 9.9f);
}

TEST(SeededValues, OfNoneAreNone) { EXPECT_TRUE(seeded_values(0, 1).empty()); }

}  // namespace

}  // namespace steelyard::cpu_suite::agreement_test
