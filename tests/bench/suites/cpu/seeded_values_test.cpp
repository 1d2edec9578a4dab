#include "bench/suites/cpu/seeded_values.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace steelyard::cpu_suite {
namespace {

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
}  // namespace steelyard::cpu_suite
