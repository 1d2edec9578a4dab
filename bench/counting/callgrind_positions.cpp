#include "bench/counting/callgrind_positions.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "bench/counting/costs.hpp"

namespace steelyard {
namespace {

auto place_of(const PositionCost& cost) { return std::tie(cost.function, cost.file, cost.address, cost.line); }

}  // namespace

bool merge_equal_positions(std::vector<PositionCost>& costs) {
  std::erase_if(costs, [](const PositionCost& cost) { return is_zero(cost.self); });
  const auto is_before = [](const PositionCost& a, const PositionCost& b) { return place_of(a) < place_of(b); };
  // Callgrind writes the addresses of a function in ascending order, so there is often nothing to do.
  if (!std::is_sorted(costs.begin(), costs.end(), is_before)) std::stable_sort(costs.begin(), costs.end(), is_before);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (kept == 0 || place_of(costs[kept - 1]) != place_of(costs[i])) {
      if (kept != i) costs[kept] = std::move(costs[i]);
      ++kept;
      continue;
    }
    if (!add_costs(costs[kept - 1].self, costs[i].self)) return false;
  }
  costs.resize(kept);
  return true;
}

}  // namespace steelyard
