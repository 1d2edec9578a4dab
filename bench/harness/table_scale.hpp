// The unit and the decimals that a line of a table is printed in.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace steelyard {

struct ScaleUnit {
  std::string name;  // "us"
  double size = 1;   // in base units
};
// The largest unit that keeps `smallest` at least 1; `base` is a metric's unit, or "s". A unit that nobody knows is its
// own only scale.
ScaleUnit scale_unit(const std::string& base, double smallest);

// Decimals that leave three significant digits of the smallest value (whole numbers keep none), and as many more as it
// takes that the pairs, indices into `values`, do not print alike; at most 17 significant digits. Zeros do not count
// as small.
using ValuePair = std::pair<std::size_t, std::size_t>;
int decimals_that_tell_apart(std::span<const double> values, std::span<const ValuePair> different);

}  // namespace steelyard
