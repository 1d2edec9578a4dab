#include "bench/counting/callgrind_positions.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "bench/counting/callgrind_numbers.hpp"

namespace steelyard {
namespace {

auto place_of(const PositionCost& cost) { return std::tie(cost.function, cost.file, cost.address, cost.line); }

bool is_zero(const PositionCost& cost) {
  return std::all_of(cost.self.begin(), cost.self.end(), [](std::int64_t number) { return number == 0; });
}

}  // namespace

bool merge_equal_positions(std::vector<PositionCost>& costs) {
  std::erase_if(costs, is_zero);
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
    for (std::size_t event = 0; event < costs[i].self.size(); ++event) {
      if (!add_cost(costs[kept - 1].self[event], costs[i].self[event])) return false;
    }
  }
  costs.resize(kept);
  return true;
}

}  // namespace steelyard
