#include "ci/attribution/profile_difference.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "bench/counting/algebra/function_match.hpp"

namespace steelyard {
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

bool is_other_name(MatchedBy how) { return how == MatchedBy::renamed; }

// Gives every function of both profiles its place in the difference; copies that one side alone has stand where the
// function does.
void place_functions(const Side& baseline, const Side& candidate, ProfileDifference& difference) {
  const std::vector<int> baseline_depths = depths(baseline.profile);
  const std::vector<int> candidate_depths = depths(candidate.profile);
  difference.of_baseline.resize(baseline.profile.functions.size());
  difference.of_candidate.resize(candidate.profile.functions.size());
  const std::vector<FunctionMatch> matches = match_functions(baseline.profile, candidate.profile);
  std::vector<std::uint32_t> place_of(matches.size(), 0);
  const auto place = [&](std::size_t i) {
    const FunctionMatch& match = matches[i];
    if (match.baseline) difference.of_baseline[*match.baseline] = place_of[i];
    if (match.candidate) difference.of_candidate[*match.candidate] = place_of[i];
  };
  for (std::size_t i = 0; i < matches.size(); ++i) {
    const FunctionMatch& match = matches[i];
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

}  // namespace steelyard
