#include "bench/suites/cuda/arithmetic/seeded_inputs.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <set>

namespace steelyard::cuda_suite::seeded_inputs_test {
namespace {

TEST(SeededInputs, AreTheGeneratorsPublishedNumbers) {
  // SplitMix64 seeded with 1234567: the first numbers of Vigna's reference implementation.
  EXPECT_EQ(scrambled(1234567, 0), 6457827717110365317u);
  EXPECT_EQ(scrambled(1234567, 1), 3203168211198807973u);
  EXPECT_EQ(scrambled(1234567, 2), 9817491932198370423u);
}

TEST(SeededInputs, SpreadEvenlyOverMinusOneToOne) {
  std::array<int, 8> of_eighth{};
  for (std::uint64_t i = 0; i < 80000; ++i) {
    const float value = seeded_value<float>(7, i);
    ASSERT_GE(value, -1.0f);
    ASSERT_LT(value, 1.0f);
    ++of_eighth[static_cast<std::size_t>((value + 1.0f) * 4.0f)];
  }
  for (const int count : of_eighth) EXPECT_NEAR(count, 10000, 500);  // five standard deviations
}

TEST(SeededInputs, HaveAllIntegersButTheOneWithoutANegative) {
  std::set<int> seen;
  for (std::uint64_t i = 0; i < 20000; ++i) seen.insert(seeded_value<std::int8_t>(3, i));
  EXPECT_EQ(seen.size(), 255u);
  EXPECT_EQ(*seen.begin(), -127);
  EXPECT_EQ(*seen.rbegin(), 127);
}

TEST(SeededInputs, OfOperandsAndSeedsAreDifferent) {
  EXPECT_NE(seed_of_operand(1, 0), seed_of_operand(1, 1));
  EXPECT_NE(seed_of_operand(1, 0), seed_of_operand(2, 0));
  EXPECT_NE(seeded_value<float>(1, 0), seeded_value<float>(2, 0));
}

}  // namespace
}  // namespace steelyard::cuda_suite::seeded_inputs_test
