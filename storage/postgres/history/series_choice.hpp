// Which series a question is about: by benchmark, metric, project, machine, parameter or label. Looks at dictionaries
// only (benchmarks, series, environments, and the labels of some newer runs), never at measurements.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/model/metric.hpp"
#include "bench/model/result.hpp"
#include "storage/model/history.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard {

struct ChosenSeries {
  std::string benchmark;
  std::string project;
  Metric metric;
  std::string fingerprint;
  std::int64_t project_key = 0;
  std::vector<std::int64_t> keys;  // more than one where counts were taken under several conditions
};
// By benchmark, project, metric, fingerprint. A text that is a benchmark's whole canonical name means that one,
// otherwise every benchmark that contains it. Error (input): the query's filters or cursor are none, or more than a
// store may answer at once fit.
Result<Page<ChosenSeries>> choose_series(Transaction& transaction, const HistoryQuery& query);

// One point of one series, before which older ones are wanted.
struct PointPlace {
  ChosenSeries series;  // without its keys
  std::string run;
  std::int64_t position = 0;
};
// Page::next of a list of series: the last one that was told, and that series without its keys.
std::string cursor_after(const ChosenSeries& series);
Result<ChosenSeries> read_series_cursor(const std::string& after);
// HistorySeries::older.
std::string cursor_before(const PointPlace& place);
bool is_point_cursor(const std::string& after);
Result<PointPlace> read_point_cursor(const std::string& after);
// The keys of that series. Error (input): there is none.
Result<ChosenSeries> choose_one(Transaction& transaction, const ChosenSeries& wanted);

}  // namespace steelyard
