#include "storage/archived/archived_pages.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "storage/postgres/history/series_choice.hpp"

namespace steelyard {
namespace {

using SeriesKey = NewestPoints::SeriesKey;
using Point = NewestPoints::Point;

ChosenSeries named(const SeriesKey& key) {
  ChosenSeries series;
  series.benchmark = key.benchmark;
  series.project = key.project;
  series.metric = key.metric;
  series.fingerprint = key.fingerprint;
  return series;
}
SeriesKey key_of(const ChosenSeries& series) {
  return {series.benchmark, series.project, series.metric, series.fingerprint};
}

// newest_first: all that are to be told, or more.
HistorySeries told(const SeriesKey& key, const std::vector<Point>& newest_first, const NewestPoints& points,
                   const HistoryQuery& query) {
  HistorySeries series{key.benchmark, key.metric, key.fingerprint, {}, key.project, {}};
  const std::size_t count = std::min(newest_first.size(), static_cast<std::size_t>(std::max(query.limit, 0)));
  series.points.reserve(count);
  for (std::size_t i = count; i-- > 0;) {
    const Point& point = newest_first[i];
    const ArchivedRun& run = points.run_of(point);
    series.points.push_back({run.id, run.commit, run.subject, run.at_unix_ns, point.value, point.samples,
                             point.invocations, run.is_off_branch});
  }
  if (newest_first.size() > count && count > 0) {
    const Point& oldest = newest_first[count - 1];
    series.older = cursor_before({named(key), points.run_of(oldest).id, static_cast<std::int64_t>(oldest.position)});
  }
  return series;
}

std::vector<Point> wanted_points(const NewestPoints& points, const std::vector<Point>& all, const HistoryQuery& query) {
  std::vector<Point> newest_first = points.in_order(all);
  if (!query.off_branch) {
    std::erase_if(newest_first, [&](const Point& point) { return points.run_of(point).is_off_branch; });
  }
  return newest_first;
}

Result<Page<HistorySeries>> older_points(const NewestPoints& points, const HistoryQuery& query) {
  STEELYARD_TRY(const PointPlace place, read_point_cursor(query.after));
  const auto series = points.all().find(key_of(place.series));
  std::vector<Point> newest_first =
      series == points.all().end() ? std::vector<Point>{} : wanted_points(points, series->second, query);
  const auto at = std::find_if(newest_first.begin(), newest_first.end(), [&](const Point& point) {
    return points.run_of(point).id == place.run && static_cast<std::int64_t>(point.position) == place.position;
  });
  if (at == newest_first.end()) {
    return input_error("--after", "a place that this history does not have", "one that it named",
                       "begin anew without it");
  }
  newest_first.erase(newest_first.begin(), at + 1);
  Page<HistorySeries> page;
  if (!newest_first.empty()) page.items.push_back(told(series->first, newest_first, points, query));
  return page;
}

}  // namespace

Result<Page<HistorySeries>> page_of(const NewestPoints& points, const HistoryQuery& query,
                                    const std::function<bool(const SeriesKey&)>& is_chosen) {
  if (is_point_cursor(query.after)) return older_points(points, query);
  auto next = points.all().begin();
  if (!query.after.empty()) {
    STEELYARD_TRY(const ChosenSeries last, read_series_cursor(query.after));
    next = points.all().upper_bound(key_of(last));
  }
  Page<HistorySeries> page;
  for (; next != points.all().end(); ++next) {
    if (!is_chosen(next->first)) continue;
    const std::vector<Point> newest_first = wanted_points(points, next->second, query);
    if (newest_first.empty()) continue;
    if (query.series_limit > 0 && page.items.size() == static_cast<std::size_t>(query.series_limit)) {
      const HistorySeries& last = page.items.back();
      page.next = cursor_after(named({last.benchmark, last.project, last.metric, last.fingerprint}));
      break;
    }
    page.items.push_back(told(next->first, newest_first, points, query));
  }
  return page;
}

}  // namespace steelyard
