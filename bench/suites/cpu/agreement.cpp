#include "bench/suites/cpu/agreement.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <random>

namespace steelyard::cpu_suite {

std::optional<std::string> disagreement(std::span<const float> answer, std::span<const double> wanted,
                                        double tolerance) {
  if (answer.size() != wanted.size()) {
    return "the answer has " + std::to_string(answer.size()) + " values, wanted " + std::to_string(wanted.size());
  }
  for (std::size_t i = 0; i < answer.size(); ++i) {
    const double difference = std::abs(static_cast<double>(answer[i]) - wanted[i]);
    // Asked this way round, so that a difference of NaN is off.
    if (difference <= tolerance * std::max(1.0, std::abs(wanted[i]))) continue;
    std::array<char, 160> text{};
    std::snprintf(text.data(), text.size(), "value %zu of the answer is %.9g, wanted %.9g within %.3g", i,
                  static_cast<double>(answer[i]), wanted[i], tolerance);
    return text.data();
  }
  return std::nullopt;
}

double dot_tolerance(std::size_t n) {
  const auto length = static_cast<double>(n);
  return std::ldexp(1.0, -24) * std::sqrt(length) * length;
}

std::vector<float> seeded_values(std::size_t count, std::uint32_t seed, float limit) {
  std::mt19937 engine(seed);
  std::vector<float> values(count);
  for (float& value : values) {
    // The upper 24 of 32 bits: each is a float exactly, so nothing rounds, and the mapping reaches -1 but never 1.
    const auto bits = static_cast<std::int32_t>(engine() >> 8);
    value = limit * (static_cast<float>(bits - (1 << 23)) / static_cast<float>(1 << 23));
  }
  return values;
}

}  // namespace steelyard::cpu_suite
