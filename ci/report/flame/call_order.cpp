#include "ci/report/flame/call_order.hpp"

#include <algorithm>

namespace steelyard {
namespace {

double drawn(std::int64_t cost) { return static_cast<double>(std::max<std::int64_t>(cost, 0)); }

// Of the arcs out of each function, the costlier first: on whichever side it cost more.
std::vector<std::vector<std::uint32_t>> arcs_by_caller(const JoinedProfile& profile) {
  std::vector<std::vector<std::uint32_t>> arcs_of(profile.functions.size());
  for (std::uint32_t i = 0; i < profile.arcs.size(); ++i) arcs_of[profile.arcs[i].caller].push_back(i);
  const auto weight = [&](std::uint32_t arc) {
    const BySide<std::int64_t>& cost = profile.arcs[arc].inclusive;
    return std::max(cost.at(kBaselineSide), cost.at(kCandidateSide));
  };
  for (std::vector<std::uint32_t>& arcs : arcs_of) {
    std::stable_sort(arcs.begin(), arcs.end(), [&](std::uint32_t a, std::uint32_t b) { return weight(a) > weight(b); });
  }
  return arcs_of;
}

// Functions in reverse order of finishing: callers before callees, but for arcs that close a cycle.
std::vector<std::uint32_t> reverse_finishing(const JoinedProfile& profile,
                                             const std::vector<std::vector<std::uint32_t>>& arcs_of) {
  struct Step {
    std::uint32_t function;
    std::size_t next_arc;
  };
  std::vector<char> is_called(profile.functions.size(), 0);
  for (const JoinedArc& arc : profile.arcs) {
    if (arc.caller != arc.callee) is_called[arc.callee] = 1;
  }
  std::vector<char> is_seen(profile.functions.size(), 0);
  std::vector<std::uint32_t> finished;
  finished.reserve(profile.functions.size());
  std::vector<Step> path;
  const auto walk_from = [&](std::uint32_t start) {
    if (is_seen[start] != 0) return;
    is_seen[start] = 1;
    path.push_back({start, 0});
    while (!path.empty()) {
      Step& step = path.back();
      if (step.next_arc == arcs_of[step.function].size()) {
        finished.push_back(step.function);
        path.pop_back();
        continue;
      }
      const std::uint32_t callee = profile.arcs[arcs_of[step.function][step.next_arc++]].callee;
      if (is_seen[callee] != 0) continue;
      is_seen[callee] = 1;
      path.push_back({callee, 0});
    }
  };
  const auto count = static_cast<std::uint32_t>(profile.functions.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    if (is_called[i] == 0) walk_from(i);
  }
  // What is left is in cycles that nothing outside enters, or below such.
  for (std::uint32_t i = 0; i < count; ++i) walk_from(i);
  std::reverse(finished.begin(), finished.end());
  return finished;
}

struct Kept {
  std::uint32_t arc;
  BySide<double> weight;
};

// By inclusive cost; where all of it is 0 on a side, by calls. The sum of each side is 1, or 0 where nothing calls it.
void set_shares(const JoinedProfile& profile, std::vector<Kept>& into) {
  for (const std::size_t side : {kBaselineSide, kCandidateSide}) {
    double sum = 0;
    for (Kept& kept : into) sum += kept.weight.at(side) = drawn(profile.arcs[kept.arc].inclusive.at(side));
    if (!(sum > 0)) {
      for (Kept& kept : into) sum += kept.weight.at(side) = drawn(profile.arcs[kept.arc].calls.at(side));
    }
    for (Kept& kept : into) kept.weight.at(side) = sum > 0 ? kept.weight.at(side) / sum : 0;
  }
}

}  // namespace

CallOrder order_calls(const JoinedProfile& profile) {
  const std::size_t count = profile.functions.size();
  CallOrder calls;
  calls.order = reverse_finishing(profile, arcs_by_caller(profile));
  std::vector<std::size_t> rank(count);
  for (std::size_t i = 0; i < count; ++i) rank[calls.order[i]] = i;

  std::vector<std::vector<Kept>> into(count);
  for (std::uint32_t i = 0; i < profile.arcs.size(); ++i) {
    const JoinedArc& arc = profile.arcs[i];
    if (rank[arc.caller] < rank[arc.callee]) into[arc.callee].push_back({i, {}});
  }
  calls.callees.resize(count);
  calls.root_share.resize(count);
  for (std::uint32_t callee = 0; callee < count; ++callee) {
    set_shares(profile, into[callee]);
    BySide<double> arrived{};
    for (const Kept& kept : into[callee]) {
      calls.callees[profile.arcs[kept.arc].caller].push_back({callee, kept.weight});
      for (const std::size_t side : {kBaselineSide, kCandidateSide}) arrived.at(side) += kept.weight.at(side);
    }
    for (const std::size_t side : {kBaselineSide, kCandidateSide}) {
      calls.root_share[callee].at(side) = arrived.at(side) > 0 ? 0 : 1;
    }
  }
  calls.below.resize(count);
  for (auto function = calls.order.rbegin(); function != calls.order.rend(); ++function) {
    for (const std::size_t side : {kBaselineSide, kCandidateSide}) {
      double& sum = calls.below[*function].at(side);
      sum = drawn(profile.functions[*function].costs.at(side).self);
      for (const CallShare& call : calls.callees[*function]) {
        sum += call.share.at(side) * calls.below[call.callee].at(side);
      }
    }
  }
  return calls;
}

}  // namespace steelyard
