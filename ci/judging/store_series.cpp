#include "ci/judging/store_series.hpp"

#include <algorithm>
#include <cmath>

namespace steelyard {
namespace {

// Without a commit each run stands for itself.
bool is_same_point(const SeriesPoint& point, const HistoryPoint& next, const std::string& machine) {
  return !next.commit.empty() && point.commit == next.commit && point.machine == machine;
}

void append(Series& series, const HistorySeries& stored) {
  for (const HistoryPoint& point : stored.points) {
    if (!std::isfinite(point.value)) continue;
    if (series.points.empty() || !is_same_point(series.points.back(), point, stored.fingerprint)) {
      series.points.push_back({{}, point.commit, stored.fingerprint, point.run});
    }
    series.points.back().values.push_back(point.value);
    series.points.back().run = point.run;
  }
}

bool is_of(const Series& series, const std::string& project, const HistorySeries& stored) {
  return series.name == stored.benchmark && project == stored.project && series.metric == stored.metric.name &&
         series.unit == stored.metric.unit && series.better == stored.metric.better;
}

}  // namespace

StoreSeries series_of_store(const std::vector<HistorySeries>& stored, int limit) {
  StoreSeries all;
  for (const HistorySeries& one : stored) {
    if (one.metric.better == Better::undeclared) continue;
    if (all.series.empty() || !is_of(all.series.back(), all.projects.back(), one)) {
      all.series.push_back({one.benchmark, one.metric.name, one.metric.unit, one.metric.better, {}});
      all.projects.push_back(one.project);
      all.is_cut.push_back(false);
    }
    if (one.points.size() >= static_cast<std::size_t>(std::max(limit, 0))) all.is_cut.back() = true;
    append(all.series.back(), one);
  }
  return all;
}

}  // namespace steelyard
