#include "regress/history/lost_series.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "regress/ab/gates.hpp"

namespace steelyard {
namespace {

const std::string& occasion_of(const SeriesPoint& point) { return point.commit.empty() ? point.run : point.commit; }

// Newest first, at most `most`.
std::vector<const SeriesPoint*> newest_points(const Series& series, const std::string& machine, std::size_t most) {
  std::vector<const SeriesPoint*> points;
  for (auto point = series.points.rbegin(); point != series.points.rend() && points.size() < most; ++point) {
    if (point->machine == machine && !point->values.empty()) points.push_back(&*point);
  }
  return points;
}

Metric metric_of(const Series& series) {
  if (const auto known = well_known_metric(series.metric)) return *known;
  Metric metric;
  metric.name = series.metric;
  metric.unit = series.unit;
  metric.better = series.better;
  return metric;
}

ComparisonRow lost_row(const Series& series, const SeriesPoint& last, const ComparisonPolicy& policy) {
  ComparisonRow row;
  row.benchmark = series.name;
  row.metric = metric_of(series);
  row.confidence = policy.confidence;
  row.minimum_effect = row.metric.kind == MetricKind::counted ? policy.counted_minimum_effect : policy.minimum_effect;
  row.margin = policy.margin;
  row.layout = Layout::separate;
  row.verdict = Verdict::missing;
  row.test = "none";
  row.reason = "neither the candidate nor the newest run of the history has it";
  const std::string occasion = occasion_of(last).substr(0, 9);
  if (!occasion.empty()) row.reason += "; it was last measured at " + occasion;
  return row;
}

}  // namespace

std::vector<ComparisonRow> rows_of_lost_series(const std::vector<SeriesHistory>& history,
                                               const Comparison& comparison) {
  const std::string& machine = comparison.candidate_fingerprint;
  std::set<std::pair<std::string_view, std::string_view>> told;
  for (const ComparisonRow& row : comparison.rows) told.emplace(row.benchmark, row.metric.name);
  std::set<std::string_view> recent;
  for (const SeriesHistory& one : history) {
    if (!told.contains({one.series.name, one.series.metric})) continue;
    for (const SeriesPoint* point : newest_points(one.series, machine, kRecentOccasions)) {
      recent.insert(occasion_of(*point));
    }
  }
  std::vector<ComparisonRow> rows;
  for (const SeriesHistory& one : history) {
    const Series& series = one.series;
    if (!is_judged(comparison.policy, series.metric, metric_of(series).kind)) continue;
    const auto last = newest_points(series, machine, 1);
    if (last.empty() || !recent.contains(occasion_of(*last.front()))) continue;
    if (!told.emplace(series.name, series.metric).second) continue;
    rows.push_back(lost_row(series, *last.front(), comparison.policy));
  }
  return rows;
}

}  // namespace steelyard
