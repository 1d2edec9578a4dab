#include "storage/archived/newest_points.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace steelyard {

bool NewestPoints::SeriesKey::operator<(const SeriesKey& other) const {
  const auto sorted = [](const SeriesKey& key) {
    return std::tuple<const std::string&, const std::string&, const std::string&, const std::string&, std::string_view,
                      std::string_view, const std::string&>(key.benchmark, key.project, key.metric.name,
                                                            key.metric.unit, to_text(key.metric.better),
                                                            to_text(key.metric.kind), key.fingerprint);
  };
  return sorted(*this) < sorted(other);
}

bool NewestPoints::is_older(const Point& a, const Point& b) const {
  const ArchivedRun& of_a = runs_[a.run];
  const ArchivedRun& of_b = runs_[b.run];
  return std::tie(of_a.rank, of_a.place_unix_ns, of_a.at_unix_ns, of_a.id, a.position) <
         std::tie(of_b.rank, of_b.place_unix_ns, of_b.at_unix_ns, of_b.id, b.position);
}

std::size_t NewestPoints::add_run(ArchivedRun run) {
  runs_.push_back(std::move(run));
  return runs_.size() - 1;
}

void NewestPoints::add(const SeriesKey& series, const Point& point) {
  if (limit_ == 0) return;
  std::vector<Point>& heap = series_[series];
  if (limit_ == kAll) {
    heap.push_back(point);
    ++points_;
    return;
  }
  // The heap's first is the one that is older than all others.
  const auto is_newer = [this](const Point& a, const Point& b) { return is_older(b, a); };
  heap.push_back(point);
  std::push_heap(heap.begin(), heap.end(), is_newer);
  ++points_;
  if (heap.size() <= limit_) return;
  std::pop_heap(heap.begin(), heap.end(), is_newer);
  heap.pop_back();
  --points_;
}

void NewestPoints::keep_only(const std::string& benchmark) {
  for (auto each = series_.begin(); each != series_.end();) {
    if (each->first.benchmark == benchmark) {
      ++each;
      continue;
    }
    points_ -= each->second.size();
    each = series_.erase(each);
  }
}

std::vector<NewestPoints::Point> NewestPoints::in_order(std::vector<Point> points) const {
  std::sort(points.begin(), points.end(), [this](const Point& a, const Point& b) { return is_older(b, a); });
  return points;
}

}  // namespace steelyard
