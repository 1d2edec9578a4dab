// Where the next page of series, or of their points, begins.
#include <optional>

#include "storage/postgres/history/series_choice.hpp"
#include "storage/postgres/session/cursor.hpp"

namespace steelyard::storage {
namespace {

constexpr std::string_view kPointCursor = "points";

std::vector<std::string> fields_of(const ChosenSeries& series) {
  return {series.benchmark,
          series.project,
          series.metric.name,
          series.metric.unit,
          std::string(to_text(series.metric.better)),
          std::string(to_text(series.metric.kind)),
          series.fingerprint};
}

// The first of the fields; there may be more.
Result<ChosenSeries> series_of_fields(const std::vector<std::string>& fields, const std::string& after) {
  const std::optional<Better> better = parse_better(fields[4]);
  const std::optional<MetricKind> kind = parse_metric_kind(fields[5]);
  if (!better || !kind) return no_cursor(after);
  ChosenSeries series;
  series.benchmark = fields[0];
  series.project = fields[1];
  series.metric = {fields[2], fields[3], *better, *kind};
  series.fingerprint = fields[6];
  return series;
}

}  // namespace

std::string cursor_after(const ChosenSeries& series) { return write_cursor(kSeriesCursor, fields_of(series)); }

std::string cursor_before(const PointPlace& place) {
  std::vector<std::string> fields = fields_of(place.series);
  fields.push_back(place.run);
  fields.push_back(std::to_string(place.position));
  return write_cursor(kPointCursor, fields);
}

bool is_point_cursor(const std::string& after) { return after.starts_with(std::string(kPointCursor) + '-'); }

Result<ChosenSeries> read_series_cursor(const std::string& after) {
  STEELYARD_TRY(const std::vector<std::string> fields, read_cursor(kSeriesCursor, kSeriesCursorFields, after));
  return series_of_fields(fields, after);
}

Result<PointPlace> read_point_cursor(const std::string& after) {
  STEELYARD_TRY(const std::vector<std::string> fields, read_cursor(kPointCursor, kSeriesCursorFields + 2, after));
  PointPlace place;
  STEELYARD_TRY(place.series, series_of_fields(fields, after));
  place.run = fields[kSeriesCursorFields];
  STEELYARD_TRY(place.position, number_of_cursor(fields.back()));
  return place;
}

}  // namespace steelyard::storage
