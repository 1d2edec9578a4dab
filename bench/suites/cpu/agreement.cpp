#include "bench/suites/cpu/agreement.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

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

}  // namespace steelyard::cpu_suite
