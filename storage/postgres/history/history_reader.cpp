#include "storage/postgres/history/history_reader.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "storage/postgres/history/series_choice.hpp"
#include "storage/postgres/history/series_values.hpp"

namespace steelyard {
namespace {

constexpr std::size_t kSeriesAtOnce = 1000;  // bounds what one statement yields
constexpr std::int64_t kFirstWindow = 2;     // runs for each point: two machines take turns, or a run is repeated
constexpr std::int64_t kFurtherBack = 4;

// Only points that stand before this one.
struct Before {
  std::string run;
  std::int64_t position = 0;
};

class HistoryReading {
 public:
  HistoryReading(Transaction& transaction, const HistoryQuery& query, const std::vector<ChosenSeries>& chosen,
                 RunOrderCache& cache)
      : transaction_(transaction), query_(query), chosen_(chosen), cache_(cache), found_(chosen.size()) {
    for (const ChosenSeries& series : chosen) {
      all_.push_back({series.benchmark, series.metric, series.fingerprint, {}, series.project});
    }
  }

  Result<std::vector<HistorySeries>> read(const std::optional<Before>& before = {}) {
    before_ = before;
    std::map<std::int64_t, std::vector<std::size_t>> of_project;  // indices into chosen_
    for (std::size_t i = 0; i < chosen_.size(); ++i) of_project[chosen_[i].project_key].push_back(i);
    for (auto& [project, wanted] : of_project) STEELYARD_CHECK(read_project(project, std::move(wanted)));
    std::erase_if(all_, [](const HistorySeries& series) { return series.points.empty(); });
    return std::move(all_);
  }

 private:
  Result<void> read_project(std::int64_t project, std::vector<std::size_t> wanted) {
    for (std::int64_t limit = kFirstWindow * query_.limit; !wanted.empty(); limit *= kFurtherBack) {
      STEELYARD_TRY(const std::span<const OrderedRun> newest,
                    newest_runs(transaction_, {project, query_.branch, query_.off_branch, limit}, cache_));
      const bool are_all = static_cast<std::int64_t>(newest.size()) < limit;
      const std::optional<std::span<const OrderedRun>> runs = from_the_place(newest);
      if (!runs && are_all) {
        return input_error("--after", "a place at run " + before_->run + ", which is not in this history any more",
                           "one of the same branch and store", "begin anew without it");
      }
      for (std::size_t begin = 0; runs && begin < wanted.size(); begin += kSeriesAtOnce) {
        const std::size_t end = std::min(wanted.size(), begin + kSeriesAtOnce);
        STEELYARD_CHECK(read_points(
            {wanted.begin() + static_cast<std::ptrdiff_t>(begin), wanted.begin() + static_cast<std::ptrdiff_t>(end)},
            *runs));
      }
      if (are_all) break;
      // One more than is told shows that there are older ones.
      std::erase_if(wanted, [&](std::size_t i) { return found_[i] > static_cast<std::size_t>(query_.limit); });
    }
    return {};
  }

  // The place is that of a run, wherever it stands now: runs that were added or moved since change nothing about what
  // stands before it. Absent: it is none of these.
  std::optional<std::span<const OrderedRun>> from_the_place(std::span<const OrderedRun> newest) const {
    if (!before_) return newest;
    const auto at =
        std::find_if(newest.begin(), newest.end(), [&](const OrderedRun& run) { return run.id == before_->run; });
    if (at == newest.end()) return std::nullopt;
    return newest.subspan(static_cast<std::size_t>(at - newest.begin()));
  }

  Result<void> read_points(const std::vector<std::size_t>& wanted, std::span<const OrderedRun> runs) {
    ValuesQuery query;
    query.with_invocations = query_.with_invocations;
    std::vector<std::size_t> series_of;  // by index in query.series
    for (const std::size_t i : wanted) {
      all_[i].points.clear();
      for (const std::int64_t key : chosen_[i].keys) {
        query.series.push_back(key);
        series_of.push_back(i);
      }
    }
    for (const OrderedRun& run : runs) query.runs.push_back(run.key);
    STEELYARD_TRY(std::vector<std::vector<SeriesValue>> values, read_series_values(transaction_, query));
    // Several keys of one series: their values stand in one order.
    for (std::size_t k = 0; k + 1 < values.size(); ++k) {
      if (series_of[k] != series_of[k + 1]) continue;
      values[k + 1].insert(values[k + 1].end(), values[k].begin(), values[k].end());
      std::stable_sort(values[k + 1].begin(), values[k + 1].end(), comes_before);
      values[k].clear();
    }
    for (std::size_t k = 0; k < values.size(); ++k) {
      const bool is_told_with_next = k + 1 < values.size() && series_of[k] == series_of[k + 1];
      if (!is_told_with_next) add_points(series_of[k], std::move(values[k]), runs);
    }
    return {};
  }

  // values: newest first.
  void add_points(std::size_t index, std::vector<SeriesValue> values, std::span<const OrderedRun> runs) {
    if (before_) {
      std::erase_if(values, [&](const SeriesValue& value) {
        return value.run == 0 && value.position >= before_->position;  // the first of the runs is the place itself
      });
    }
    HistorySeries& series = all_[index];
    found_[index] = values.size();
    const std::size_t count = std::min(values.size(), static_cast<std::size_t>(query_.limit));
    series.points.reserve(count);
    for (std::size_t i = count; i-- > 0;) {
      const OrderedRun& run = runs[values[i].run];
      series.points.push_back({run.id, run.commit, run.subject, run.at_unix_ns, values[i].value, values[i].samples,
                               values[i].invocations, run.is_off_branch});
    }
    series.older.clear();
    if (values.size() > count && count > 0) {
      const SeriesValue& oldest = values[count - 1];
      series.older = cursor_before({chosen_[index], runs[oldest.run].id, oldest.position});
    }
  }

  Transaction& transaction_;
  const HistoryQuery& query_;
  const std::vector<ChosenSeries>& chosen_;
  RunOrderCache& cache_;
  std::optional<Before> before_;
  std::vector<std::size_t> found_;  // by series: points there are in the runs that were looked at
  std::vector<HistorySeries> all_;
};

Result<Page<HistorySeries>> read_older_points(Transaction& transaction, const HistoryQuery& query,
                                              RunOrderCache& cache) {
  STEELYARD_TRY(const PointPlace place, read_point_cursor(query.after));
  STEELYARD_TRY(ChosenSeries series, choose_one(transaction, place.series));
  const std::vector<ChosenSeries> chosen{std::move(series)};
  Page<HistorySeries> page;
  STEELYARD_TRY(page.items, HistoryReading(transaction, query, chosen, cache).read(Before{place.run, place.position}));
  return page;
}

}  // namespace

Result<Page<HistorySeries>> read_history(Session& session, const HistoryQuery& query, RunOrderCache& cache) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  if (is_point_cursor(query.after) && query.limit > 0) return read_older_points(transaction, query, cache);
  STEELYARD_TRY(Page<ChosenSeries> chosen, choose_series(transaction, query));
  Page<HistorySeries> page;
  page.next = std::move(chosen.next);
  page.notes = std::move(chosen.notes);
  if (query.limit <= 0) {
    for (ChosenSeries& series : chosen.items) {
      page.items.push_back({std::move(series.benchmark), series.metric, series.fingerprint, {}, series.project});
    }
    return page;
  }
  STEELYARD_TRY(page.items, HistoryReading(transaction, query, chosen.items, cache).read());
  return page;
}

}  // namespace steelyard
