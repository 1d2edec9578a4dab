// A closed interval of real numbers. Which confidence it has, its owner says.
#pragma once

#include <optional>

namespace steelyard {

struct Interval {
  double low = 0;
  double high = 0;
  bool operator==(const Interval&) const = default;
};

// The ends of what may be absent.
inline std::optional<double> low_of(const std::optional<Interval>& interval) {
  return interval ? std::optional(interval->low) : std::nullopt;
}
inline std::optional<double> high_of(const std::optional<Interval>& interval) {
  return interval ? std::optional(interval->high) : std::nullopt;
}

}  // namespace steelyard
