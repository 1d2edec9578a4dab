// The best division of a series into stretches of constant level: least squares plus a penalty for each step. Exact, by
// functional pruning: for every possible level of the newest stretch the least cost is kept as pieces of parabolas.
//
// Source: R. Maidstone, T. Hocking, G. Rigaill and P. Fearnhead, On optimal multiple changepoint algorithms for large
// data, 2017 (FPOP). Not robust by itself: clip spikes before.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace steelyard {

// Ascending indices at which a new level begins; never 0. Precondition: finite values, penalty > 0. Cost about
// O(n log n), at worst O(n^2).
std::vector<std::size_t> best_steps(std::span<const double> values, double penalty);

}  // namespace steelyard
