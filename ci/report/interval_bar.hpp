// An interval of a ratio drawn in a few columns: one scale for every row, symmetric around "no change" and logarithmic
// on both sides, so that 1 % and 30 % are both seen. The band of the minimum effect is marked; an interval that lies
// outside of it is a change someone cares about.
#pragma once

#include <string>

#include "bench/model/comparison.hpp"

namespace steelyard {

struct BarShape {
  int columns = 17;  // odd, at least 7
  bool unicode = true;
};

// The scale ends at a ratio of 1.25 (and 1 / 1.25); beyond it an arrow. Most changes that a review meets are within.
inline constexpr double kBarEnd = 1.25;

std::string interval_bar(const Interval& interval, double estimate, double minimum_effect, const BarShape& shape);
// "-20%      0      +25%", as wide as the bars.
std::string interval_bar_axis(const BarShape& shape);

}  // namespace steelyard
