#include "ci/attribution/profile_difference.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>

#include "ci/attribution/own_source.hpp"

namespace steelyard {
namespace {

// The same function under optimization: "f [clone .isra.0]", "f.constprop.1". Pieces that are split off (.part, .cold)
// keep their names, because they run beside the function.
std::string without_clone(const std::string& name) {
  std::string result = name;
  for (const char* mark : {" [clone .isra.", " [clone .constprop.", ".isra.", ".constprop."}) {
    const std::size_t at = result.find(mark);
    if (at != std::string::npos && at > 0) result.erase(at);
  }
  return result;
}

using Key = std::tuple<std::string, std::string, std::string>;  // name, object, file where the name is ambiguous
using NameKey = std::pair<std::string, std::string>;

NameKey name_key(const ProfiledFunction& function) {
  return {without_clone(function.name), std::filesystem::path(function.object).filename().string()};
}

std::set<NameKey> ambiguous_names(const CountedProfile& profile) {
  std::set<NameKey> seen;
  std::set<NameKey> twice;
  for (const ProfiledFunction& function : profile.functions) {
    NameKey key = name_key(function);
    if (!seen.insert(key).second) twice.insert(std::move(key));
  }
  return twice;
}

std::optional<std::size_t> instructions_event(const CountedProfile& profile) {
  const auto at = std::find(profile.events.begin(), profile.events.end(), "Ir");
  if (at == profile.events.end()) return std::nullopt;
  return static_cast<std::size_t>(at - profile.events.begin());
}

struct Side {
  const CountedProfile& profile;
  std::size_t event;
  double sign;

  double an_iteration(std::int64_t cost) const {
    return static_cast<double>(cost) / static_cast<double>(std::max<std::int64_t>(profile.iterations, 1));
  }
  double cost(const std::vector<std::int64_t>& costs) const {
    return event < costs.size() ? an_iteration(costs[event]) : 0;
  }
};

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

ProfileDifference subtract(const CountedProfile& baseline, const CountedProfile& candidate,
                           const std::vector<std::filesystem::path>& own_sources) {
  ProfileDifference difference;
  const auto baseline_event = instructions_event(baseline);
  const auto candidate_event = instructions_event(candidate);
  if (!baseline_event || !candidate_event) return difference;
  std::set<NameKey> ambiguous = ambiguous_names(baseline);
  ambiguous.merge(ambiguous_names(candidate));

  std::map<Key, std::size_t> position;
  const auto add_side = [&](const Side& side) {
    const std::vector<int> depth = depths(side.profile);
    for (std::size_t i = 0; i < side.profile.functions.size(); ++i) {
      const ProfiledFunction& function = side.profile.functions[i];
      const NameKey name = name_key(function);
      Key key{name.first, name.second, ambiguous.contains(name) ? path_below(function.file, own_sources) : ""};
      const auto [at, is_new] = position.emplace(std::move(key), difference.functions.size());
      if (is_new) {
        difference.functions.push_back({&function, 0, 0, 0, side.cost(function.inclusive), depth[i]});
      }
      FunctionDifference& entry = difference.functions[at->second];
      entry.self_change += side.sign * side.cost(function.self);
      entry.inclusive_change += side.sign * side.cost(function.inclusive);
      entry.calls_change += side.sign * side.an_iteration(function.calls);
    }
    difference.total_change += side.sign * side.cost(side.profile.totals);
  };
  add_side({candidate, *candidate_event, 1});
  add_side({baseline, *baseline_event, -1});
  return difference;
}

}  // namespace steelyard
