#include "bench/suites/cuda/arithmetic/narrow_floats.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "bench/suites/cuda/arithmetic/pack.hpp"

namespace steelyard::cuda_suite::narrow_floats_test {
namespace {

// From the definition of the format, by powers of two alone.
double half_by_definition(unsigned bits) {
  const double sign = (bits & 0x8000u) != 0 ? -1 : 1;
  const int exponent = static_cast<int>((bits >> 10) & 31);
  const int fraction = static_cast<int>(bits & 1023);
  if (exponent == 31) return fraction != 0 ? std::nan("") : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

TEST(NarrowFloats, EveryHalfWidensToWhatItsBitsSay) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const float wide = widened(F16{static_cast<std::uint16_t>(bits)});
    const double wanted = half_by_definition(bits);
    if (std::isnan(wanted)) {
      EXPECT_TRUE(std::isnan(wide)) << bits;
    } else {
      ASSERT_EQ(static_cast<double>(wide), wanted) << bits;
    }
  }
}

TEST(NarrowFloats, EveryNarrowNumberComesBackFromSinglePrecision) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const F16 half{static_cast<std::uint16_t>(bits)};
    const Bf16 brain{static_cast<std::uint16_t>(bits)};
    if (!std::isnan(widened(half))) {
      ASSERT_EQ(narrowed<F16>(widened(half)).bits, bits);
    }
    if (!std::isnan(widened(brain))) {
      ASSERT_EQ(narrowed<Bf16>(widened(brain)).bits, bits);
    }
  }
}

// Halfway between two neighbours goes to the even one, and a hair to either side to the nearer one.
template <class T>
void expect_nearest_between_all_neighbours(unsigned last) {
  for (unsigned bits = 0; bits < last; ++bits) {
    const float low = widened(T{static_cast<std::uint16_t>(bits)});
    const float high = widened(T{static_cast<std::uint16_t>(bits + 1)});
    const auto half = static_cast<float>((static_cast<double>(low) + static_cast<double>(high)) / 2);
    ASSERT_EQ(narrowed<T>(half).bits, bits % 2 == 0 ? bits : bits + 1) << bits;
    ASSERT_EQ(narrowed<T>(std::nextafter(half, -INFINITY)).bits, bits) << bits;
    ASSERT_EQ(narrowed<T>(std::nextafter(half, INFINITY)).bits, bits + 1) << bits;
    ASSERT_EQ(narrowed<T>(-half).bits, narrowed<T>(half).bits | 0x8000u) << bits;
  }
}

TEST(NarrowFloats, HalvesRoundToNearestAndTiesToEven) { expect_nearest_between_all_neighbours<F16>(0x7bff); }
TEST(NarrowFloats, Bf16RoundsToNearestAndTiesToEven) { expect_nearest_between_all_neighbours<Bf16>(0x7f7f); }

TEST(NarrowFloats, WhatIsTooLargeForHalvesIsInfinite) {
  EXPECT_EQ(narrowed<F16>(65519.0f).bits, 0x7bff);
  EXPECT_EQ(narrowed<F16>(65520.0f).bits, 0x7c00);
  EXPECT_EQ(narrowed<F16>(-1e30f).bits, 0xfc00);
  EXPECT_EQ(narrowed<F16>(INFINITY).bits, 0x7c00);
}

TEST(NarrowFloats, NoNumberStaysNone) {
  const float none = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(widened(narrowed<F16>(none))));
  EXPECT_TRUE(std::isnan(widened(narrowed<Bf16>(none))));
  // The only set bits of this one are those that narrowing cuts off.
  EXPECT_TRUE(std::isnan(widened(narrowed<Bf16>(float_of_bits(0x7f800001u)))));
}

TEST(NarrowFloats, RoundingStaysWithinTheUnitRoundoff) {
  for (float x = 1.0f; x < 2.0f; x += 0x1p-14f) {
    const auto wide = static_cast<double>(x);
    EXPECT_LE(std::fabs(static_cast<double>(widened(narrowed<Bf16>(x))) - wide), kUnitRoundoff<Bf16> * wide);
    EXPECT_LE(std::fabs(static_cast<double>(widened(narrowed<F16>(x))) - wide), kUnitRoundoff<F16> * wide);
  }
}

TEST(Packs, LanesLieInTheOrderOfMemory) {
  alignas(16) Bf16 brains[8];
  alignas(16) F16 halves[8];
  for (int i = 0; i < 8; ++i) {
    brains[i] = narrowed<Bf16>(static_cast<float>(i) - 3.5f);
    halves[i] = narrowed<F16>(static_cast<float>(i) - 3.5f);
  }
  float values[8];
  unpack<Bf16>(load_streaming(brains), values);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(values[i], static_cast<float>(i) - 3.5f);
  unpack<F16>(load_streaming(halves), values);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(values[i], static_cast<float>(i) - 3.5f);
  const Pack again = packed<F16>(values);
  EXPECT_EQ(std::memcmp(&again, halves, 16), 0);
}

TEST(Packs, EveryEightBitIntegerUnpacksExactly) {
  for (int first = -128; first < 128; first += 16) {
    alignas(16) std::int8_t bytes[16];
    for (int i = 0; i < 16; ++i) bytes[i] = static_cast<std::int8_t>(first + i);
    float values[16];
    unpack<std::int8_t>(load_shared_by_threads(bytes), values);
    for (int i = 0; i < 16; ++i) EXPECT_EQ(values[i], static_cast<float>(first + i));
  }
}

TEST(Packs, LanesPastTheCountAreZeroAndStayUnwritten) {
  const Bf16 values[3] = {narrowed<Bf16>(1), narrowed<Bf16>(2), narrowed<Bf16>(3)};
  float lanes[8];
  unpack<Bf16>(load_lanes(values, 3), lanes);
  EXPECT_EQ(lanes[2], 3.0f);
  for (int i = 3; i < 8; ++i) EXPECT_EQ(lanes[i], 0.0f);
  float results[4] = {-1, -1, -1, -1};
  const float four[4] = {5, 6, 7, 8};
  store_lanes(results, four, 2);
  EXPECT_EQ(results[1], 6.0f);
  EXPECT_EQ(results[2], -1.0f);
}

}  // namespace
}  // namespace steelyard::cuda_suite::narrow_floats_test
