#include "ci/attribution/profile_difference.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "bench/counting/algebra/function_match.hpp"
#include "bench/counting/reader/call_cycles.hpp"

namespace steelyard::ci {
namespace {

std::optional<std::size_t> instructions_event(const CountedProfile& profile) {
  const auto at = std::find(profile.events.begin(), profile.events.end(), "Ir");
  if (at == profile.events.end()) return std::nullopt;
  return static_cast<std::size_t>(at - profile.events.begin());
}

struct Side {
  const CountedProfile& profile;
  std::size_t event;

  double an_iteration(std::int64_t cost) const {
    return static_cast<double>(cost) / static_cast<double>(std::max<std::int64_t>(profile.iterations, 1));
  }
  double cost(const std::vector<std::int64_t>& costs) const {
    return event < costs.size() ? an_iteration(costs[event]) : 0;
  }
  void add_to(FunctionCost& sum, const ProfiledFunction& function) const {
    sum.self += cost(function.self);
    sum.inclusive += cost(function.inclusive);
    sum.calls += an_iteration(function.calls);
  }
};

bool is_other_name(bench::MatchedBy how) { return how == bench::MatchedBy::renamed; }

// Gives every function of both profiles its place in the difference; copies that one side alone has stand where the
// function does.
void place_functions(const Side& baseline, const Side& candidate, ProfileDifference& difference) {
  const std::vector<int> baseline_depths = depths(baseline.profile);
  const std::vector<int> candidate_depths = depths(candidate.profile);
  difference.of_baseline.resize(baseline.profile.functions.size());
  difference.of_candidate.resize(candidate.profile.functions.size());
  const std::vector<bench::FunctionMatch> matches = bench::match_functions(baseline.profile, candidate.profile);
  std::vector<std::uint32_t> place_of(matches.size(), 0);
  const auto place = [&](std::size_t i) {
    const bench::FunctionMatch& match = matches[i];
    if (match.baseline) difference.of_baseline[*match.baseline] = place_of[i];
    if (match.candidate) difference.of_candidate[*match.candidate] = place_of[i];
  };
  for (std::size_t i = 0; i < matches.size(); ++i) {
    const bench::FunctionMatch& match = matches[i];
    if (match.copy_of) continue;
    place_of[i] = static_cast<std::uint32_t>(difference.functions.size());
    FunctionDifference entry;
    const auto* before = match.baseline ? &baseline.profile.functions[*match.baseline] : nullptr;
    entry.shown = match.candidate ? &candidate.profile.functions[*match.candidate] : before;
    entry.depth = match.candidate ? candidate_depths[*match.candidate] : baseline_depths[*match.baseline];
    if (is_other_name(match.how) && before != nullptr) entry.renamed_from = before->name;
    difference.functions.push_back(std::move(entry));
    place(i);
  }
  for (std::size_t i = 0; i < matches.size(); ++i) {
    if (!matches[i].copy_of) continue;
    place_of[i] = place_of[*matches[i].copy_of];
    place(i);
  }
}

using ArcSums = std::map<std::pair<std::uint32_t, std::uint32_t>, ArcDifference>;

void add_arcs(const Side& side, const std::vector<std::uint32_t>& place, double ArcDifference::*cost, ArcSums& sums) {
  for (const CallArc& arc : side.profile.arcs) {
    if (arc.caller >= place.size() || arc.callee >= place.size()) continue;
    ArcDifference& sum = sums[{place[arc.caller], place[arc.callee]}];
    sum.caller = place[arc.caller];
    sum.callee = place[arc.callee];
    sum.*cost += side.cost(arc.inclusive);
  }
}

}  // namespace

std::vector<int> depths(const CountedProfile& profile) {
  const std::size_t n = profile.functions.size();
  std::vector<std::vector<std::uint32_t>> callees(n);
  std::vector<bool> is_called(n, false);
  for (const CallArc& arc : profile.arcs) {
    if (arc.caller >= n || arc.callee >= n || arc.caller == arc.callee) continue;
    callees[arc.caller].push_back(arc.callee);
    is_called[arc.callee] = true;
  }
  std::deque<std::uint32_t> queue;
  std::vector<int> depth(n, -1);
  const auto add_root = [&](std::size_t i) {
    depth[i] = 0;
    queue.push_back(static_cast<std::uint32_t>(i));
  };
  for (std::size_t i = 0; i < n; ++i) {
    if (!is_called[i] && !callees[i].empty()) add_root(i);
  }
  if (queue.empty() && n > 0) {
    const auto inclusive = [](const ProfiledFunction& f) { return f.inclusive.empty() ? 0 : f.inclusive.front(); };
    const auto largest = std::max_element(profile.functions.begin(), profile.functions.end(),
                                          [&](const auto& a, const auto& b) { return inclusive(a) < inclusive(b); });
    add_root(static_cast<std::size_t>(largest - profile.functions.begin()));
  }
  while (!queue.empty()) {
    const std::uint32_t caller = queue.front();
    queue.pop_front();
    for (const std::uint32_t callee : callees[caller]) {
      if (depth[callee] >= 0) continue;
      depth[callee] = depth[caller] + 1;
      queue.push_back(callee);
    }
  }
  std::replace(depth.begin(), depth.end(), -1, 0);
  return depth;
}

ProfileDifference subtract(const CountedProfile& baseline, const CountedProfile& candidate) {
  ProfileDifference difference;
  const auto baseline_event = instructions_event(baseline);
  const auto candidate_event = instructions_event(candidate);
  if (!baseline_event || !candidate_event) return difference;
  const Side before{baseline, *baseline_event};
  const Side after{candidate, *candidate_event};
  place_functions(before, after, difference);
  for (std::size_t i = 0; i < baseline.functions.size(); ++i) {
    FunctionDifference& entry = difference.functions[difference.of_baseline[i]];
    entry.is_in_baseline = true;
    before.add_to(entry.baseline, baseline.functions[i]);
  }
  for (std::size_t i = 0; i < candidate.functions.size(); ++i) {
    FunctionDifference& entry = difference.functions[difference.of_candidate[i]];
    entry.is_in_candidate = true;
    after.add_to(entry.candidate, candidate.functions[i]);
  }
  for (FunctionDifference& entry : difference.functions) {
    entry.self_change = entry.candidate.self - entry.baseline.self;
    entry.inclusive_change = entry.candidate.inclusive - entry.baseline.inclusive;
    entry.calls_change = entry.candidate.calls - entry.baseline.calls;
  }
  difference.total_change = after.cost(candidate.totals) - before.cost(baseline.totals);
  ArcSums sums;
  add_arcs(before, difference.of_baseline, &ArcDifference::baseline, sums);
  add_arcs(after, difference.of_candidate, &ArcDifference::candidate, sums);
  for (const auto& [pair, arc] : sums) difference.arcs.push_back(arc);
  return difference;
}

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

std::vector<Component> components_of(const ProfileDifference& difference, const bench::CallCycles& cycles) {
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
  const bench::CallCycles cycles = bench::find_call_cycles(difference.functions.size(), as_call_arcs(difference.arcs));
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

namespace {

constexpr std::array<double, 5> kMinShares{0.9, 0.5, 0.25, 0.1, -std::numeric_limits<double>::infinity()};
constexpr std::uint32_t kNobody = std::numeric_limits<std::uint32_t>::max();

std::vector<std::vector<std::uint32_t>> callees_by_share(const ProfileDifference& difference, double least) {
  std::vector<std::vector<std::uint32_t>> callees(difference.functions.size());
  for (const ArcDifference& arc : difference.arcs) {
    if (arc.caller == arc.callee) continue;
    if ((arc.candidate - arc.baseline) / difference.total_change >= least) callees[arc.caller].push_back(arc.callee);
  }
  return callees;
}

// From the roots of the whole graph through `callees`; empty where they do not lead to the target.
std::vector<std::uint32_t> shortest(std::uint32_t target, const std::vector<std::uint32_t>& roots,
                                    const std::vector<std::vector<std::uint32_t>>& callees) {
  std::vector<std::uint32_t> from(callees.size(), kNobody);
  std::deque<std::uint32_t> queue(roots.begin(), roots.end());
  for (const std::uint32_t root : roots) from[root] = root;
  while (!queue.empty() && from[target] == kNobody) {
    const std::uint32_t caller = queue.front();
    queue.pop_front();
    for (const std::uint32_t callee : callees[caller]) {
      if (from[callee] != kNobody) continue;
      from[callee] = caller;
      queue.push_back(callee);
    }
  }
  std::vector<std::uint32_t> path;
  if (from[target] == kNobody) return path;
  for (std::uint32_t at = target; path.empty() || path.back() != at; at = from[at]) path.push_back(at);
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace

std::vector<std::uint32_t> call_path_to(std::uint32_t target, const ProfileDifference& difference) {
  std::vector<std::uint32_t> roots;
  for (std::uint32_t i = 0; i < difference.functions.size(); ++i) {
    if (difference.functions[i].depth == 0) roots.push_back(i);
  }
  for (const double least : kMinShares) {
    std::vector<std::uint32_t> path = shortest(target, roots, callees_by_share(difference, least));
    if (!path.empty()) return path;
  }
  return {target};
}

}  // namespace steelyard::ci
