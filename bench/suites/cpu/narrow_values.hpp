// Numbers in fewer than 32 bits: bfloat16, and rows of 8-bit integers that share a scale. Storage types: the kernels
// widen them to single precision and add there.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace steelyard::cpu_suite {

// The upper half of a float. No initial value: an array of a large matrix is not written before it is filled.
struct Bf16 {
  std::uint16_t bits;
};

constexpr float to_float(Bf16 value) { return std::bit_cast<float>(std::uint32_t{value.bits} << 16); }

// Nearest, ties to even. A NaN stays one.
constexpr Bf16 to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return Bf16{static_cast<std::uint16_t>((bits >> 16) | 0x40u)};
  return Bf16{static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16)};
}

// A matrix of which row i stands for scales[i] * values: weights of a quantized layer.
struct QuantizedRows {
  std::vector<std::int8_t> values;
  std::vector<float> scales;
};

// Each row to [-127, 127] by its largest magnitude, nearest; a row of zeros has the scale 0.
QuantizedRows quantize_rows(std::span<const float> matrix, std::size_t rows);

std::vector<Bf16> to_bf16(std::span<const float> values);

// Seeded weights, in place: several of them from one draw of 64 bits, because the matrices are large. bf16 values are
// spread over [-1, 1]; all 8-bit values are as likely.
void fill_seeded(std::span<Bf16> values, std::uint64_t seed);
void fill_seeded(std::span<std::int8_t> values, std::uint64_t seed);

}  // namespace steelyard::cpu_suite
