#include "regress/history/change_range.hpp"

#include <algorithm>
#include <tuple>

namespace steelyard {
namespace {

// The newest measured point before `index` on the same machine.
std::optional<std::size_t> measured_before(const Series& series, std::size_t index) {
  for (std::size_t i = index; i-- > 0;) {
    const SeriesPoint& point = series.points[i];
    if (point.machine == series.points[index].machine && !point.values.empty() && !point.commit.empty()) return i;
  }
  return std::nullopt;
}

}  // namespace

std::optional<ChangeRange> range_of(const Series& series, const ChangePoint& change, const CommitOrder& order) {
  const std::size_t size = series.points.size();
  if (change.index >= size) return std::nullopt;
  const auto likely = order.place(series.points[change.index].commit);
  if (!likely) return std::nullopt;
  ChangeRange range{*likely, *likely, *likely};
  if (change.first < size) {
    if (const auto before = measured_before(series, change.first)) {
      // A commit at both sides of the change, measured twice: it is the cause itself.
      range.first = std::min(*likely, order.place(series.points[*before].commit).value_or(*likely) + 1);
    } else if (const auto first = order.place(series.points[change.first].commit)) {
      range.first = std::min(*likely, *first);
    }
  }
  if (change.last < size) {
    range.last = std::max(*likely, order.place(series.points[change.last].commit).value_or(*likely));
  }
  return range;
}

std::vector<std::vector<RangedChange>> explained_together(std::vector<RangedChange> changes) {
  std::sort(changes.begin(), changes.end(), [](const RangedChange& a, const RangedChange& b) {
    return std::tie(a.range.last, a.series, a.change) < std::tie(b.range.last, b.series, b.change);
  });
  std::vector<std::vector<RangedChange>> groups;
  for (const RangedChange& change : changes) {
    if (groups.empty() || change.range.first > groups.back().front().range.last) groups.emplace_back();
    groups.back().push_back(change);
  }
  return groups;
}

}  // namespace steelyard
