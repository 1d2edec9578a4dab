#include "ci/attribution/call_path.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <limits>

namespace steelyard {
namespace {

constexpr std::array<double, 5> kLeastShares{0.9, 0.5, 0.25, 0.1, -std::numeric_limits<double>::infinity()};
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
  for (const double least : kLeastShares) {
    std::vector<std::uint32_t> path = shortest(target, roots, callees_by_share(difference, least));
    if (!path.empty()) return path;
  }
  return {target};
}

}  // namespace steelyard
