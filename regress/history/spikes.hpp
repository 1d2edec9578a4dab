// Spikes: one or two values far from those around them, back again afterwards. They are clipped and not deleted: a
// value keeps its place and its sign, and loses its weight.
#pragma once

#include <span>
#include <vector>

namespace steelyard {

// values, each moved to within `reach` of the median of the five values around it (at the ends: of those there are).
// Cost O(n).
std::vector<double> clip_spikes(std::span<const double> values, double reach);

}  // namespace steelyard
