#include "regress/history/commit_order.hpp"

#include <algorithm>
#include <list>
#include <numeric>

namespace steelyard {

CommitOrder::CommitOrder(std::span<const Series> series) {
  std::vector<std::size_t> longest_first(series.size());
  std::iota(longest_first.begin(), longest_first.end(), std::size_t{0});
  std::stable_sort(longest_first.begin(), longest_first.end(),
                   [&](std::size_t a, std::size_t b) { return series[a].points.size() > series[b].points.size(); });
  std::list<std::string> order;
  std::unordered_map<std::string, std::list<std::string>::iterator> known;
  for (const std::size_t index : longest_first) {
    auto behind = order.begin();  // where the next new commit goes
    for (const SeriesPoint& point : series[index].points) {
      if (point.commit.empty()) continue;
      const auto found = known.find(point.commit);
      if (found != known.end()) {
        behind = std::next(found->second);
      } else {
        const auto added = order.insert(behind, point.commit);
        known.emplace(point.commit, added);
      }
    }
  }
  commits_.assign(order.begin(), order.end());
  for (std::size_t i = 0; i < commits_.size(); ++i) places_.emplace(commits_[i], i);
}

std::optional<std::size_t> CommitOrder::place(const std::string& commit) const {
  const auto found = places_.find(commit);
  return found == places_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace steelyard
