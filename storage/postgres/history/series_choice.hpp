// Which series a question is about: by benchmark, metric, project, machine, parameter or label. Looks at dictionaries
// only (benchmarks, series, environments, and the labels of some newer runs), never at measurements.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/metric.hpp"
#include "bench/model/result.hpp"
#include "storage/model/history.hpp"
#include "storage/postgres/history/series_memory.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard::storage {

struct ChosenSeries {
  std::string benchmark;
  std::string project;
  Metric metric;
  std::string fingerprint;
  std::int64_t project_key = 0;
  // More than one where counts were taken under several conditions, or where the benchmark was renamed.
  std::vector<std::int64_t> keys;
  std::vector<std::string> names{};  // by today's names: what each of the keys is kept under
  std::string listed_as{};           // a renamed one that stays apart: the name at whose place lists have it
};
inline constexpr std::int64_t kMaxSeriesOfAnswer = 200'000;  // of one answer: some 100 MB
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
// By which a cursor of a list of series is known, and how many texts tell a series.
inline constexpr std::string_view kSeriesCursor = "series";
inline constexpr std::size_t kSeriesCursorFields = 7;
// Page::next of a list of series: the last one that was told, by its place in the list, and that series without its
// keys.
std::string cursor_after(const ChosenSeries& series);
Result<ChosenSeries> read_series_cursor(const std::string& after);
// HistorySeries::older.
std::string cursor_before(const PointPlace& place);
bool is_point_cursor(const std::string& after);
Result<PointPlace> read_point_cursor(const std::string& after);
// The keys of that series. `asked`: whether by today's names, and of which branch. Error (input): there is none.
Result<ChosenSeries> choose_one(Transaction& transaction, const ChosenSeries& wanted, const HistoryQuery& asked);

// What every question about levels comes down to: which runs of a branch are the newest, and the values of series in
// them.

// Values of some series in some runs. The index of steelyard.measurements by series and run holds all of it but the
// invocations, which lie in the packed samples.
struct ValuesQuery {
  std::vector<std::int64_t> series;  // keys, each once
  std::vector<std::int64_t> runs;    // keys, each once
  bool with_invocations = false;
};
// For each series, in order, what it has in these runs, by comes_before; values that are not defined are excluded.
Result<std::vector<std::vector<SeriesValue>>> read_series_values(Transaction& transaction, const ValuesQuery& query);
// The same by what is remembered, as far as it is: of a few series, without invocations.
Result<std::vector<std::vector<SeriesValue>>> read_series_values(Transaction& transaction, const ValuesQuery& query,
                                                                 SeriesMemory& memory);

// The runs of a project in the order of their commits: on one branch by their place on it, else by the commits' dates,
// those of one second by their places on their branches.

struct RunOrderQuery {
  std::int64_t project_key = 0;
  std::string branch;  // empty: any
  bool with_off_branch = true;
  std::int64_t limit = 0;
};

// Runs that were read before, by one connection: they never change, and whether the branch got others since its row in
// steelyard.branches tells. Holds one branch, and few runs.
struct RunOrderCache {
  std::string project_seen;  // alone, when they were read; empty: all that the login may see
  std::int64_t project_key = 0;
  std::string branch;
  bool with_off_branch = true;
  std::int64_t limit = 0;  // fewer runs: these are all
  std::string version;     // of the branch's row; empty: nothing is held
  std::string derived_at;  // when the values of all runs were derived last, as of that version
  std::shared_ptr<const std::vector<OrderedRun>> runs;
};

struct NewestRuns {
  std::shared_ptr<const std::vector<OrderedRun>> all;  // that were read, or had been
  std::span<const OrderedRun> newest;                  // the first of them, as many as were asked for
};

// The newest `limit` runs, newest first. branch: empty: any. Points follow the commits, whenever they were measured (a
// gate measures the parent again), then the run's time and id, so that a rebuilt store tells the same; runs without a
// commit stand where they were taken. A branch that has no order yet goes by dates. Too many to be held leave what the
// cache holds as it is.
Result<NewestRuns> newest_runs(Transaction& transaction, const RunOrderQuery& query, RunOrderCache& cache);

}  // namespace steelyard::storage
