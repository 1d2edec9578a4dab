// In what a matrix product is computed: how its operands and its results lie in memory, and how far a sum may be off.
//
// The reference is the exact sum of products of the operands as they lie on the device, in float64. So the rounding of
// inputs is no error. What is left, relative to m, the magnitude of the partial sums (dot_product):
//   rounding of operands   tf32 keeps 10 bits of fraction, by rounding or by cutting: each operand is off by 2^-10
//   accumulation           see sum_error()
//   rounding of the result once, relative to the result (unit_roundoff)
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "bench/harness/operator_cost.hpp"
#include "bench/suites/cuda/arithmetic/narrow_floats.hpp"

namespace steelyard::cuda_suite {

// How numbers of a matrix lie in memory, and what they are worth: what a check reads back from a device.

// Eight bits: a sign, four of exponent (bias 7), three of fraction. No infinity; 0x7f and 0xff are NaN (Micikevicius et
// al., FP8 Formats for Deep Learning, 2022, table 1). A storage type as Bf16 is one.
struct E4m3 {
  std::uint8_t bits;
};

STEELYARD_HOST_DEVICE inline float widened(E4m3 value) {
  const std::uint32_t exponent = (value.bits >> 3) & 0xfu;
  const std::uint32_t fraction = value.bits & 0x7u;
  float magnitude = static_cast<float>(fraction) * 0x1p-9f;
  if (exponent != 0) magnitude = float_of_bits(((exponent + 120u) << 23) | (fraction << 20));
  if (exponent == 15 && fraction == 7) magnitude = float_of_bits(0x7fc00000u);
  return (value.bits & 0x80u) != 0 ? -magnitude : magnitude;
}

// To nearest, ties to even; what is too large becomes the largest number, 448; a NaN stays one.
template <>
STEELYARD_HOST_DEVICE inline E4m3 narrowed<E4m3>(float value) {
  const std::uint32_t bits = bits_of_float(value);
  const auto sign = static_cast<std::uint8_t>((bits >> 24) & 0x80u);
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return E4m3{static_cast<std::uint8_t>(sign | 0x7fu)};
  if (magnitude >= 0x43e00000u) return E4m3{static_cast<std::uint8_t>(sign | 0x7eu)};  // 448 and above
  // Below 2^-6 the spacing is 2^-9, as that of single precision is from 2^14 on: the addition rounds.
  if (magnitude < 0x3c800000u) {
    const std::uint32_t steps = bits_of_float(float_of_bits(magnitude) + 0x1p14f) - bits_of_float(0x1p14f);
    return E4m3{static_cast<std::uint8_t>(sign | steps)};
  }
  const std::uint32_t rounded = magnitude + 0x7ffffu + ((magnitude >> 20) & 1u) - (120u << 23);
  return E4m3{static_cast<std::uint8_t>(sign | (rounded >> 20))};
}

template <>
inline constexpr double kUnitRoundoff<E4m3> = 0x1p-4;

enum class NumberFormat { f32, f16, bf16, e4m3, s8, s32 };

constexpr std::size_t size_of(NumberFormat format) {
  switch (format) {
    case NumberFormat::f32:
    case NumberFormat::s32:
      return 4;
    case NumberFormat::f16:
    case NumberFormat::bf16:
      return 2;
    case NumberFormat::e4m3:
    case NumberFormat::s8:
      return 1;
  }
  return 0;
}

std::string_view to_text(NumberFormat format);

// What one rounding to the format may change, relative; integers: 0.
double unit_roundoff(NumberFormat format);

// Every number of `bytes`, whose size is a multiple of the format's.
std::vector<double> decoded(NumberFormat format, std::span<const std::byte> bytes);

// The byte that memory is filled with before it is written, such that no result reads as the number that it makes: NaN
// in the floating formats; of s32 a number that a sum of products of two 8-bit numbers reaches only past 2^17 of them.
constexpr int poison_byte(NumberFormat format) { return format == NumberFormat::s32 ? 0x80 : 0xff; }
// The index of the first number that is still poison or is a NaN of another making; the count of numbers: none is.
std::size_t first_unwritten(NumberFormat format, std::span<const std::byte> bytes);

struct ProductType {
  std::string_view dtype;  // the axis's value
  NumberFormat operands = NumberFormat::f32;
  NumberFormat results = NumberFormat::f32;
  double operand_error = 0;       // relative, of each
  double step_error = 0;          // of one accumulation, relative to the partial sum
  std::size_t step_length = 1;    // products that one accumulation adds
  bool rounds_to_nearest = true;  // else the unit cuts, and errors add up with one sign
};

// f32 tf32 f16 bf16 f8 i8, in this order.
std::span<const ProductType> product_types();
// Null: there is none of this name.
const ProductType* find_product_type(std::string_view dtype);

// How far a sum of `inner` products may be off, relative to the magnitude of its partial sums:
//  - rounding to nearest: 4 sqrt(steps) u, a random walk at four deviations (Higham and Mary, A New Approach to
//    Probabilistic Rounding Error Analysis, 2019, theorem 2.4, lambda = 4);
//  - cutting, as tensor cores do (Fasi, Higham, Mikaitis and Pranesh, Numerical Behavior of NVIDIA Tensor Cores, 2021):
//    steps * u, every error in one direction. u is 2^-23 for sums in single precision; tensor cores of 8-bit operands
//    keep 14 bits of fraction with fast accumulation (DeepSeek-V3 Technical Report, 2024, section 3.3.2): 2^-13.
double sum_error(const ProductType& type, std::size_t inner);

// Of products of n x k and k x m matrices, `batch` of them.
constexpr OperatorCost product_cost(const ProductType& type, ProductExtent extent) {
  const std::size_t read = extent.batch * extent.inner * (extent.rows + extent.columns);
  const std::size_t written = extent.batch * extent.rows * extent.columns;
  return {operations(2 * written * extent.inner), bytes_of(read, size_of(type.operands)),
          bytes_of(written, size_of(type.results))};
}

}  // namespace steelyard::cuda_suite
