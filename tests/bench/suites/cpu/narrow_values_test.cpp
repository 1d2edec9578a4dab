#include "bench/suites/cpu/narrow_values.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "bench/suites/cpu/agreement.hpp"

namespace steelyard::cpu_suite::narrow_values_test {
namespace {

TEST(Bf16, KeepsEveryOfItsOwnValues) {
  for (std::uint32_t bits = 0; bits <= 0xffffu; ++bits) {
    const Bf16 value{static_cast<std::uint16_t>(bits)};
    if (std::isnan(to_float(value))) {
      EXPECT_TRUE(std::isnan(to_float(to_bf16(to_float(value))))) << bits;
    } else {
      EXPECT_EQ(to_bf16(to_float(value)).bits, bits);
    }
  }
}

// 8 significant bits: between 1 and 1 + 2^-7 lies a tie, and the even one of its neighbours is 1.
TEST(Bf16, RoundsToTheNearestAndTiesToEven) {
  const float step = std::ldexp(1.0f, -7);
  EXPECT_EQ(to_float(to_bf16(1 + step / 2)), 1.0f);
  EXPECT_EQ(to_float(to_bf16(1 + step / 2 + std::ldexp(1.0f, -20))), 1 + step);
  EXPECT_EQ(to_float(to_bf16(1 + 3 * step / 2)), 1 + 2 * step);
  EXPECT_EQ(to_float(to_bf16(-1 - step / 2)), -1.0f);
  EXPECT_EQ(to_float(to_bf16(std::numeric_limits<float>::max())), std::numeric_limits<float>::infinity());
}

TEST(Bf16, KeepsANanWhoseMarkIsInTheLowerHalf) {
  EXPECT_TRUE(std::isnan(to_float(to_bf16(std::bit_cast<float>(0x7f800001u)))));
}

TEST(QuantizeRows, IsOffByHalfAStepAtMostAndUsesTheWholeRange) {
  std::vector<float> matrix = seeded_values(3 * 50, 4, 0.1f);
  for (std::size_t i = 100; i < 150; ++i) matrix[i] = 0;  // the last row
  const QuantizedRows rows = quantize_rows(matrix, 3);
  ASSERT_EQ(rows.scales.size(), 3u);
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    const float scale = rows.scales[i / 50];
    EXPECT_NEAR(static_cast<float>(rows.values[i]) * scale, matrix[i], scale * 0.5001f) << i;
  }
  int largest = 0;
  for (std::size_t i = 0; i < 50; ++i) largest = std::max(largest, std::abs(int{rows.values[i]}));
  EXPECT_EQ(largest, 127);
  EXPECT_EQ(rows.scales[2], 0.0f);
}

TEST(QuantizeRows, OfNothingIsNothing) {
  EXPECT_TRUE(quantize_rows({}, 0).values.empty());
  EXPECT_TRUE(quantize_rows({}, 2).values.empty());
}

TEST(FillSeeded, GivesTheSameValuesForASeedWithinTheirRange) {
  std::vector<Bf16> first(1001);
  std::vector<Bf16> second(1001);
  fill_seeded(first, 5);
  fill_seeded(second, 5);
  std::set<float> distinct;
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].bits, second[i].bits);
    EXPECT_LE(std::abs(to_float(first[i])), 1.0f);
    distinct.insert(to_float(first[i]));
  }
  EXPECT_GT(distinct.size(), 300u);
  fill_seeded(second, 6);
  EXPECT_NE(first[0].bits, second[0].bits);
}

TEST(FillSeeded, ReachesAllEightBitValues) {
  std::vector<std::int8_t> values(10000);
  fill_seeded(values, 7);
  EXPECT_EQ(std::set<std::int8_t>(values.begin(), values.end()).size(), 256u);
}

}  // namespace
}  // namespace steelyard::cpu_suite::narrow_values_test
