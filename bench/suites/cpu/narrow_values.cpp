#include "bench/suites/cpu/narrow_values.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace steelyard::cpu_suite {

QuantizedRows quantize_rows(std::span<const float> matrix, std::size_t rows) {
  QuantizedRows result{std::vector<std::int8_t>(matrix.size()), std::vector<float>(rows)};
  const std::size_t columns = rows == 0 ? 0 : matrix.size() / rows;
  for (std::size_t row = 0; row < rows; ++row) {
    const auto in = matrix.subspan(row * columns, columns);
    float largest = 0;
    for (const float value : in) largest = std::max(largest, std::abs(value));
    result.scales[row] = largest / 127;
    if (largest == 0) continue;
    for (std::size_t i = 0; i < columns; ++i) {
      result.values[row * columns + i] = static_cast<std::int8_t>(std::lround(in[i] * (127 / largest)));
    }
  }
  return result;
}

std::vector<Bf16> to_bf16(std::span<const float> values) {
  std::vector<Bf16> results(values.size());
  std::transform(values.begin(), values.end(), results.begin(), [](float value) { return to_bf16(value); });
  return results;
}

void fill_seeded(std::span<Bf16> values, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::uint64_t draw = 0;
  for (std::size_t i = 0; i < values.size(); ++i, draw >>= 16) {
    if (i % 4 == 0) draw = engine();
    // 16 bits as a signed integer, then 8 of them significant.
    values[i] = to_bf16(static_cast<float>(static_cast<std::int16_t>(draw & 0xffffu)) / 32768.0f);
  }
}

void fill_seeded(std::span<std::int8_t> values, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::uint64_t draw = 0;
  for (std::size_t i = 0; i < values.size(); ++i, draw >>= 8) {
    if (i % 8 == 0) draw = engine();
    values[i] = static_cast<std::int8_t>(draw & 0xffu);
  }
}

}  // namespace steelyard::cpu_suite
