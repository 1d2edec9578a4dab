// Family-wise control over many tests: with adjusted p-values q <= level as alarms, the chance of any false alarm is at
// most the level whatever depends on what (S. Holm, A simple sequentially rejective multiple test procedure,
// Scandinavian Journal of Statistics 6, 1979).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace steelyard {

// q[i] for p[i], same order: the running maximum over ascending p of (n - rank + 1) p, at most 1. `untested`: members
// of the family beside these, whose p counts as 1. Empty in, empty out; equal p get equal q. Cost O(n log n).
std::vector<double> holm_adjusted(std::span<const double> p, std::size_t untested = 0);

}  // namespace steelyard
