#include "ci/attribution/call_structure.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "bench/counting/reader/call_cycles.hpp"

namespace steelyard {
namespace {

// A cycle of functions, or a function alone.
struct Component {
  double inclusive_change = 0;  // of what enters it from outside
  double reached = 0;
  int depth = 0;
  int open_callers = 0;  // that are not finished yet
  bool is_root = true;
  std::vector<std::uint32_t> callees;
};

std::vector<CallArc> as_call_arcs(const std::vector<ArcDifference>& arcs) {
  std::vector<CallArc> result;
  result.reserve(arcs.size());
  for (const ArcDifference& arc : arcs) result.push_back({arc.caller, arc.callee, 0, {}});
  return result;
}

std::vector<Component> components_of(const ProfileDifference& difference, const CallCycles& cycles) {
  std::vector<Component> components(cycles.size_of.size());
  for (std::size_t i = 0; i < difference.functions.size(); ++i) {
    components[cycles.cycle_of[i]].inclusive_change += difference.functions[i].inclusive_change;
  }
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  for (const ArcDifference& arc : difference.arcs) {
    const std::pair pair(cycles.cycle_of[arc.caller], cycles.cycle_of[arc.callee]);
    if (pair.first == pair.second || !seen.insert(pair).second) continue;
    components[pair.first].callees.push_back(pair.second);
    ++components[pair.second].open_callers;
    components[pair.second].is_root = false;
  }
  return components;
}

// Callers before callees: the graph of cycles has none.
void descend(std::vector<Component>& components, double total_change) {
  std::vector<std::uint32_t> ready;
  for (std::uint32_t i = 0; i < components.size(); ++i) {
    if (components[i].is_root) ready.push_back(i);
  }
  while (!ready.empty()) {
    Component& component = components[ready.back()];
    ready.pop_back();
    const double share = std::max(component.inclusive_change / total_change, 0.0);
    component.reached = component.is_root ? share : std::min(share, component.reached);
    for (const std::uint32_t callee : component.callees) {
      components[callee].reached += component.reached;
      components[callee].depth = std::max(components[callee].depth, component.depth + 1);
      if (--components[callee].open_callers == 0) ready.push_back(callee);
    }
  }
}

}  // namespace

std::vector<FunctionStanding> call_structure(const ProfileDifference& difference) {
  const CallCycles cycles = find_call_cycles(difference.functions.size(), as_call_arcs(difference.arcs));
  std::vector<Component> components = components_of(difference, cycles);
  descend(components, difference.total_change);
  std::vector<FunctionStanding> standings(difference.functions.size());
  for (std::size_t i = 0; i < standings.size(); ++i) {
    FunctionStanding& standing = standings[i];
    standing.cycle = cycles.cycle_of[i];
    standing.is_in_cycle = cycles.size_of[standing.cycle] > 1;
    standing.depth = components[standing.cycle].depth;
    standing.reached_share = components[standing.cycle].reached;
    const FunctionDifference& function = difference.functions[i];
    standing.leaving_change = standing.is_in_cycle ? function.self_change : function.inclusive_change;
  }
  for (const ArcDifference& arc : difference.arcs) {
    FunctionStanding& caller = standings[arc.caller];
    if (!caller.is_in_cycle || caller.cycle == standings[arc.callee].cycle) continue;
    caller.leaving_change += arc.candidate - arc.baseline;
  }
  return standings;
}

}  // namespace steelyard
