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

// Control of the false discovery rate: which of many findings to look at first. Of the rows with q <= level, at most
// that share is false on average. It ranks lists and dashboards and fails no gate: among many real changes it lets
// false ones through that Holm's rule would not.

// q[i] for p[i], same order: the running minimum from the largest p down of n p / rank, at most 1 (Y. Benjamini and
// Y. Hochberg, Controlling the false discovery rate, Journal of the Royal Statistical Society B 57, 1995). Holds for
// independent p and for such positive dependence as a machine's common noise gives (Y. Benjamini and D. Yekutieli, The
// control of the false discovery rate in multiple testing under dependency, Annals of Statistics 29, 2001, theorem
// 1.2); whatever depends on what, the rate is at most 1 + 1/2 + ... + 1/n times as high (theorem 1.3). Values of p that
// hold at any stop are taken as they are. Never above Holm's q. Empty in, empty out; equal p get equal q. O(n log n).
std::vector<double> discovery_adjusted(std::span<const double> p);

}  // namespace steelyard
