// Spikes: one or two values far from those around them, back again afterwards. They are clipped and not deleted: a
// value keeps its place and its sign, and loses its weight.
#pragma once

#include <span>
#include <vector>

namespace steelyard {

// values, each moved to within `reach` of the median of the five values around it (at the ends: of those there are).
// errors: standard error of each value by its own samples, 0 where there is only one; a value whose error is larger
// than `scale` is held the closer. Precondition: errors empty or one per value. Cost O(n).
std::vector<double> clip_spikes(std::span<const double> values, double scale, std::span<const double> errors = {});

}  // namespace steelyard
