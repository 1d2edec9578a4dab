#include "regress/history/online_changes.hpp"

#include <algorithm>
#include <utility>

namespace steelyard {
namespace {

// Of the old level, that stay before a change: with fewer it might go, though no value speaks against it.
constexpr std::size_t kLeastBeforeChange = 50;

void shift(ChangePoint& change, std::size_t by) {
  change.index += by;
  change.first += by;
  change.last += by;
}

}  // namespace

OnlineChanges::OnlineChanges(Series head, ChangeOptions options) : options_(std::move(options)) {
  std::vector<SeriesPoint> points = std::exchange(head.points, {});
  window_ = std::move(head);
  for (SeriesPoint& point : points) add(std::move(point));
}

void OnlineChanges::add(SeriesPoint point) {
  window_.points.push_back(std::move(point));
  if (window_.points.size() > kMostPoints) let_go();
  std::vector<ChangePoint> found = find_changes(window_, options_);
  options_.known.clear();
  changes_ = settled_;
  for (ChangePoint& change : found) {
    if (change.status == ChangeStatus::confirmed) options_.known.push_back(change);
    shift(change, dropped_);
    changes_.push_back(std::move(change));
  }
}

// A change that lies near behind the cut goes too: the window then begins where its new level surely has.
std::size_t OnlineChanges::points_to_drop() const {
  std::size_t dropped = kDropped;
  for (const ChangePoint& change : options_.known) {
    if (change.index >= dropped + kLeastBeforeChange || change.last > kMostDropped) break;
    dropped = std::max(dropped, change.last);
  }
  return dropped;
}

void OnlineChanges::let_go() {
  const std::size_t dropped = points_to_drop();
  const auto begin = window_.points.begin();
  window_.points.erase(begin, begin + static_cast<std::ptrdiff_t>(dropped));
  std::vector<ChangePoint> within;
  for (ChangePoint& change : options_.known) {
    if (change.index <= dropped) {
      shift(change, dropped_);
      settled_.push_back(std::move(change));
      continue;
    }
    change.index -= dropped;
    change.first -= std::min(change.first, dropped);
    change.last -= dropped;
    within.push_back(std::move(change));
  }
  options_.known = std::move(within);
  dropped_ += dropped;
}

}  // namespace steelyard
