// The costs of a profile, one number for each event. Sums are checked: what does not fit into 63 bits is told, and
// nothing wraps.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace steelyard {

// a += b; false where the sum does not fit.
inline bool add_cost(std::int64_t& a, std::int64_t b) { return !__builtin_add_overflow(a, b, &a); }

// Event by event; false where a sum does not fit. Precondition: `sum` has at least as many events as `costs`.
inline bool add_costs(std::vector<std::int64_t>& sum, std::span<const std::int64_t> costs) {
  for (std::size_t event = 0; event < costs.size(); ++event) {
    if (!add_cost(sum[event], costs[event])) return false;
  }
  return true;
}

// sum += factor * costs, with as many events as the longer has. For costs of one part that was read, whose sums are
// known to fit, and a factor of 1 or -1.
inline void add_times(std::vector<std::int64_t>& sum, std::span<const std::int64_t> costs, std::int64_t factor) {
  sum.resize(std::max(sum.size(), costs.size()), 0);
  for (std::size_t event = 0; event < costs.size(); ++event) sum[event] += factor * costs[event];
}

inline bool is_zero(std::span<const std::int64_t> costs) {
  return std::all_of(costs.begin(), costs.end(), [](std::int64_t cost) { return cost == 0; });
}

}  // namespace steelyard
