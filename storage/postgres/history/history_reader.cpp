#include "storage/postgres/history/history_reader.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/model/text.hpp"
#include "storage/postgres/history/commit_order.hpp"
#include "storage/postgres/history/series_choice.hpp"
#include "storage/postgres/runs/run_reader.hpp"
#include "storage/postgres/session/dictionaries.hpp"

namespace steelyard::storage {
namespace {

constexpr std::size_t kSeriesAtOnce = 1000;  // bounds what one statement yields
constexpr std::int64_t kFirstWindow = 2;     // runs for each point: two machines take turns, or a run is repeated
constexpr std::int64_t kFurtherBack = 4;

// Only points that stand before this one.
struct Before {
  std::string run;
  std::int64_t position = 0;
};

HistorySeries empty_series(const ChosenSeries& chosen) {
  HistorySeries series{chosen.benchmark, chosen.metric, chosen.fingerprint, {}, chosen.project};
  const std::set<std::string> names(chosen.names.begin(), chosen.names.end());
  for (const std::string& name : names) {
    if (name != chosen.benchmark) series.earlier_names.push_back(name);
  }
  return series;
}

// What a reading goes by besides its question.
struct ReadingMeans {
  RunOrderCache& cache;
  SeriesMemory* memory = nullptr;  // null: every value is read
  bool as_lines = false;           // else as points
};

class HistoryReading {
 public:
  HistoryReading(Transaction& transaction, const HistoryQuery& query, const std::vector<ChosenSeries>& chosen,
                 const ReadingMeans& reading)
      : transaction_(transaction), query_(query), chosen_(chosen), reading_(reading), found_(chosen.size()) {
    for (const ChosenSeries& series : chosen) all_.push_back({empty_series(series), {}, nullptr});
  }

  Result<std::vector<SeriesLine>> read(const std::optional<Before>& before) {
    before_ = before;
    STEELYARD_CHECK(read_conditions());
    std::map<std::int64_t, std::vector<std::size_t>> of_project;  // indices into chosen_
    for (std::size_t i = 0; i < chosen_.size(); ++i) of_project[chosen_[i].project_key].push_back(i);
    for (const auto& [project, wanted] : of_project) {
      STEELYARD_CHECK(read_project(project, wanted));
      if (reading_.as_lines) continue;
      for (const std::size_t i : wanted) tell_points(all_[i]);
    }
    std::erase_if(all_, [](const SeriesLine& line) { return line.points.empty() && line.series.points.empty(); });
    return std::move(all_);
  }

 private:
  // Of the counts among them.
  Result<void> read_conditions() {
    std::vector<std::int64_t> keys;
    for (const ChosenSeries& series : chosen_) {
      if (series.metric.kind == MetricKind::counted) keys.insert(keys.end(), series.keys.begin(), series.keys.end());
    }
    if (keys.empty()) return {};
    STEELYARD_TRY(const Rows rows,
                  transaction_.run("select series_key, count_key from steelyard.series where series_key = any($1)",
                                   SqlValues().integers(keys)));
    for (std::int64_t row = 0; row < rows.size(); ++row) conditions_[rows.integer(row, 0)] = rows.text(row, 1);
    return {};
  }

  // The place of this series' conditions among those of its history.
  int condition_of(std::int64_t key, HistorySeries& history) const {
    const auto known = conditions_.find(key);
    if (known == conditions_.end()) return 0;
    std::vector<std::string>& all = history.conditions;
    const auto at = std::find(all.begin(), all.end(), known->second);
    if (at != all.end()) return static_cast<int>(at - all.begin());
    all.push_back(known->second);
    return static_cast<int>(all.size()) - 1;
  }

  Result<void> read_project(std::int64_t project, std::vector<std::size_t> wanted) {
    for (std::int64_t limit = kFirstWindow * query_.limit; !wanted.empty(); limit *= kFurtherBack) {
      STEELYARD_TRY(const NewestRuns read,
                    newest_runs(transaction_, {project, query_.branch, query_.off_branch, limit}, reading_.cache));
      // Without a branch's row nothing is read from the memory, nor put into it.
      if (reading_.memory != nullptr && !reading_.cache.derived_at.empty()) {
        reading_.memory->be_of(reading_.cache.derived_at);
      }
      const bool are_all = std::ssize(read.newest) < limit;
      const std::optional<std::span<const OrderedRun>> runs = from_the_place(read.newest);
      if (!runs && are_all) {
        return input_error("--after", "a place at run " + before_->run + ", which is not in this history any more",
                           "one of the same branch and store", "begin anew without it");
      }
      for (std::size_t begin = 0; runs && begin < wanted.size(); begin += kSeriesAtOnce) {
        const std::size_t end = std::min(wanted.size(), begin + kSeriesAtOnce);
        STEELYARD_CHECK(read_points(
            {wanted.begin() + static_cast<std::ptrdiff_t>(begin), wanted.begin() + static_cast<std::ptrdiff_t>(end)},
            read.all, *runs));
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

  Result<void> read_points(const std::vector<std::size_t>& wanted,
                           const std::shared_ptr<const std::vector<OrderedRun>>& all,
                           std::span<const OrderedRun> runs) {
    ValuesQuery query;
    query.with_invocations = query_.with_invocations;
    std::vector<std::size_t> series_of;  // by index in query.series
    for (const std::size_t i : wanted) {
      all_[i].points.clear();
      all_[i].runs = all;
      for (const std::int64_t key : chosen_[i].keys) {
        query.series.push_back(key);
        series_of.push_back(i);
      }
    }
    for (const OrderedRun& run : runs) query.runs.push_back(run.key);
    STEELYARD_TRY(std::vector<std::vector<SeriesValue>> values, read_values(query));
    // Several keys of one series: their values stand in one order.
    for (std::size_t k = 0; k + 1 < values.size(); ++k) {
      if (series_of[k] != series_of[k + 1]) continue;
      values[k + 1].insert(values[k + 1].end(), values[k].begin(), values[k].end());
      std::stable_sort(values[k + 1].begin(), values[k + 1].end(), comes_before);
      values[k].clear();
    }
    for (std::size_t k = 0; k < values.size(); ++k) {
      const bool is_added_with_next = k + 1 < values.size() && series_of[k] == series_of[k + 1];
      if (!is_added_with_next) add_points(series_of[k], std::move(values[k]), runs);
    }
    return {};
  }

  // Without a branch's row there is nothing that tells of which version they are.
  Result<std::vector<std::vector<SeriesValue>>> read_values(const ValuesQuery& query) {
    if (reading_.memory == nullptr || reading_.cache.derived_at.empty()) return read_series_values(transaction_, query);
    return read_series_values(transaction_, query, *reading_.memory);
  }

  // values: newest first.
  void add_points(std::size_t index, std::vector<SeriesValue> values, std::span<const OrderedRun> runs) {
    if (before_) {
      std::erase_if(values, [&](const SeriesValue& value) {
        return value.run == 0 && value.position >= before_->position;  // the first of the runs is the place itself
      });
    }
    SeriesLine& line = all_[index];
    found_[index] = values.size();
    const std::size_t count = std::min(values.size(), static_cast<std::size_t>(query_.limit));
    const auto first = static_cast<std::size_t>(runs.data() - line.runs->data());
    line.points.reserve(count);
    for (std::size_t i = count; i-- > 0;) {
      const SeriesValue& value = values[i];
      line.points.push_back(
          {first + value.run, value.value, value.samples, value.invocations, condition_of(value.series, line.series)});
    }
    line.series.older.clear();
    if (values.size() > count && count > 0) {
      const SeriesValue& oldest = values[count - 1];
      line.series.older = cursor_before({chosen_[index], runs[oldest.run].id, oldest.position});
    }
  }

  static void tell_points(SeriesLine& line) {
    line.series.points.reserve(line.points.size());
    for (const SeriesLine::Point& point : line.points) {
      const OrderedRun& run = (*line.runs)[point.run];
      line.series.points.push_back({run.id, run.commit, run.subject, run.at_unix_ns, point.value, point.samples,
                                    point.invocations, run.is_off_branch, point.condition, run.branch});
    }
    line = {std::move(line.series), {}, nullptr};
  }

  Transaction& transaction_;
  const HistoryQuery& query_;
  const std::vector<ChosenSeries>& chosen_;
  const ReadingMeans& reading_;
  std::optional<Before> before_;
  std::vector<std::size_t> found_;                  // by series: points there are in the runs that were looked at
  std::map<std::int64_t, std::string> conditions_;  // of counts, by key of the series
  std::vector<SeriesLine> all_;
};

// $1 project or empty, $2 branch.
constexpr const char* kBranchHasRuns = R"sql(
select exists (
  select from steelyard.projects p
  cross join lateral (
    select from steelyard.runs r
    where r.project_key = p.project_key and hashtextextended(r.branch, 0) = hashtextextended($2::text, 0)
      and r.branch = $2::text and not exists (select from steelyard.request_runs q where q.run_key = r.run_key)
    limit 1) own
  where $1::text = '' or p.name = $1::text)
)sql";

// Marks those of the series at these places that have a value in one of the runs.
Result<void> mark_measured(Transaction& transaction, const std::vector<ChosenSeries>& chosen,
                           std::span<const std::size_t> places, std::span<const OrderedRun> runs,
                           std::vector<bool>& is_measured) {
  ValuesQuery query;
  std::vector<std::size_t> place_of;  // by index in query.series
  for (const std::size_t place : places) {
    query.series.insert(query.series.end(), chosen[place].keys.begin(), chosen[place].keys.end());
    place_of.insert(place_of.end(), chosen[place].keys.size(), place);
  }
  for (const OrderedRun& run : runs) query.runs.push_back(run.key);
  STEELYARD_TRY(const std::vector<std::vector<SeriesValue>> values, read_series_values(transaction, query));
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (!values[k].empty()) is_measured[place_of[k]] = true;
  }
  return {};
}

// Those that have a point on the query's branch. Older runs are asked about those alone that newer ones lack.
Result<std::vector<ChosenSeries>> those_of_branch(Transaction& transaction, const HistoryQuery& query,
                                                  std::vector<ChosenSeries> chosen, RunOrderCache& cache) {
  std::map<std::int64_t, std::vector<std::size_t>> of_project;  // indices into chosen
  for (std::size_t i = 0; i < chosen.size(); ++i) of_project[chosen[i].project_key].push_back(i);
  std::vector<bool> is_measured(chosen.size());
  for (auto& [project, wanted] : of_project) {
    std::size_t asked = 0;  // runs
    for (std::int64_t limit = kFirstWindow; !wanted.empty(); limit *= kFurtherBack) {
      STEELYARD_TRY(const NewestRuns read,
                    newest_runs(transaction, {project, query.branch, query.off_branch, limit}, cache));
      const std::span<const OrderedRun> older = read.newest.subspan(std::min(asked, read.newest.size()));
      for (std::size_t begin = 0; begin < wanted.size(); begin += kSeriesAtOnce) {
        const std::span<const std::size_t> all(wanted);
        STEELYARD_CHECK(mark_measured(transaction, chosen,
                                      all.subspan(begin, std::min(kSeriesAtOnce, wanted.size() - begin)), older,
                                      is_measured));
      }
      if (std::ssize(read.newest) < limit) break;
      asked = read.newest.size();
      std::erase_if(wanted, [&](std::size_t i) { return is_measured[i]; });
    }
  }
  std::vector<ChosenSeries> kept;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (is_measured[i]) kept.push_back(std::move(chosen[i]));
  }
  return kept;
}

std::string cursor_behind(ChosenSeries series) {
  if (!series.listed_as.empty()) series.benchmark = series.listed_as;
  return cursor_after(series);
}

// Whatever stands at one place of the list stays together.
void cut_to(Page<ChosenSeries>& page, std::size_t most) {
  if (page.items.size() <= most) return;
  std::string place = cursor_behind(page.items[most - 1]);
  const auto end = std::find_if(page.items.begin() + static_cast<std::ptrdiff_t>(most), page.items.end(),
                                [&](const ChosenSeries& one) { return cursor_behind(one) != place; });
  if (end == page.items.end()) return;
  page.items.erase(end, page.items.end());
  page.next = std::move(place);
}

constexpr std::int64_t kMoreOfList = 8;

// The series alone, of the query's branch. Whoever sees no item takes it for the end: where a page of the list has none
// of the branch, ever larger ones are gone through, until one is as large as an answer may be.
Result<Page<ChosenSeries>> list_of_branch(Transaction& transaction, HistoryQuery query, RunOrderCache& cache) {
  STEELYARD_TRY(const Rows rows,
                transaction.run(kBranchHasRuns, SqlValues().text(query.project).text(query.branch), kOneRow));
  if (!rows.boolean(0, 0)) return Page<ChosenSeries>{};
  const std::int64_t asked = query.series_limit > 0 ? query.series_limit : kMaxSeriesOfAnswer;
  for (std::int64_t most = asked;; most = std::min(kMoreOfList * most, kMaxSeriesOfAnswer)) {
    query.series_limit = static_cast<int>(most);
    STEELYARD_TRY(Page<ChosenSeries> page, choose_series(transaction, query));
    STEELYARD_TRY(page.items, those_of_branch(transaction, query, std::move(page.items), cache));
    if (page.items.empty() && !page.next.empty() && most < kMaxSeriesOfAnswer) {
      query.after = std::move(page.next);
      continue;
    }
    cut_to(page, static_cast<std::size_t>(asked));
    return page;
  }
}

Result<Page<SeriesLine>> read_series_lines(Session& session, const HistoryQuery& query, const ReadingMeans& reading) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  std::optional<Before> before;
  Page<ChosenSeries> chosen;
  if (is_point_cursor(query.after) && query.limit > 0) {
    STEELYARD_TRY(const PointPlace place, read_point_cursor(query.after));
    STEELYARD_TRY(ChosenSeries series, choose_one(transaction, place.series, query));
    chosen.items.push_back(std::move(series));
    before = {place.run, place.position};
  } else if (query.limit <= 0 && !query.branch.empty()) {
    STEELYARD_TRY(chosen, list_of_branch(transaction, query, reading.cache));
  } else {
    STEELYARD_TRY(chosen, choose_series(transaction, query));
  }
  const bool may_be_others = query.only_one && !query.branch.empty() && chosen.items.size() > 1 && chosen.next.empty();
  if (may_be_others) {
    STEELYARD_TRY(chosen.items, those_of_branch(transaction, query, std::move(chosen.items), reading.cache));
  }
  Page<SeriesLine> page{{}, std::move(chosen.next), std::move(chosen.notes)};
  if (query.limit <= 0 || (query.only_one && chosen.items.size() > 1)) {
    for (const ChosenSeries& series : chosen.items) page.items.push_back({empty_series(series), {}, nullptr});
    return page;
  }
  STEELYARD_TRY(page.items, HistoryReading(transaction, query, chosen.items, reading).read(before));
  return page;
}

}  // namespace

Result<Page<HistorySeries>> read_history(Session& session, const HistoryQuery& query, RunOrderCache& cache) {
  STEELYARD_TRY(Page<SeriesLine> lines, read_series_lines(session, query, {cache}));
  Page<HistorySeries> page{{}, std::move(lines.next), std::move(lines.notes)};
  for (SeriesLine& line : lines.items) page.items.push_back(std::move(line.series));
  return page;
}

Result<Page<SeriesLine>> read_lines(Session& session, const HistoryQuery& query, RunOrderCache& cache,
                                    SeriesMemory& memory) {
  return read_series_lines(session, query, {cache, &memory, true});
}

namespace {

// $1 project or empty, $2 fingerprints, $3 the fact that names a host, $4 that beside which hosts tell nothing more,
// $5 branch or empty.
// Counted, by the index of environments: whether there is one is asked of all runs in turn.
constexpr const char* kHosts = R"sql(
select distinct e.fingerprint, f ->> 'value'
from steelyard.environments e
cross join lateral jsonb_array_elements(e.facts) f
cross join lateral (
  select count(*) as runs from steelyard.runs r
  where r.environment_key = e.environment_key
    and ($1::text = '' or r.project_key = (select project_key from steelyard.projects where name = $1::text))
    and ($5::text = '' or r.branch = $5::text)
    and not exists (select from steelyard.request_runs q where q.run_key = r.run_key)) measured
where measured.runs > 0 and e.fingerprint = any($2::text[]) and f ->> 'name' = $3::text
  and not exists (select from jsonb_array_elements(e.facts) d where d ->> 'name' = $4::text)
)sql";

}  // namespace

Result<HostsByMachine> read_hosts(Session& session, const std::string& project, const std::string& branch,
                                  const std::vector<std::string>& machines) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const Rows rows,
                transaction.run(
                    kHosts, SqlValues().text(project).texts(machines).text(kHostFact).text(kMachineFact).text(branch)));
  HostsByMachine hosts;
  for (std::int64_t row = 0; row < rows.size(); ++row) hosts[rows.text(row, 0)].insert(rows.text(row, 1));
  return hosts;
}

namespace {

// $1 project, $2 commit, $3 fingerprint, $4 branch or empty. Commits come nearest first, and the walk goes on only as
// long as none of them has a run: PostgreSQL computes of a recursion what is asked for. Bounded, since data may hold
// cycles. Here and below: a run of a changed tree says nothing of the commit that it stands at, and one that came of a
// request is nobody's baseline.
constexpr const char* kNearestAncestor = R"sql(
with recursive reached(sha, distance) as (
  select $2::text collate "C", 0
  union
  select parent.sha, reached.distance + 1
  from reached
  cross join lateral (
    select p.parents from steelyard.commit_parents p
    where p.project_key = (select project_key from steelyard.projects where name = $1::text) and p.sha = reached.sha
    order by p.is_complete desc limit 1) known
  cross join lateral unnest(known.parents) as parent(sha)
  where reached.distance < 2000
)
select newest.id, walked.sha, walked.distance
from (select sha, distance from reached limit 20000) walked
cross join lateral (
  select r.id
  from steelyard.commits c
  join steelyard.runs r using (commit_key)
  join steelyard.environments e using (environment_key)
  where c.sha = walked.sha and e.fingerprint = $3::text and not r.dirty and ($4::text = '' or r.branch = $4::text)
    and not exists (select from steelyard.request_runs q where q.run_key = r.run_key)
    and r.project_key = (select project_key from steelyard.projects where name = $1::text)
  order by r.created_at_unix_ns desc, r.id desc limit 1) newest
where walked.distance > 0
limit 1
)sql";

// $1 project, $2 commit, $3 fingerprint, $4 branch.
constexpr const char* kNewestOlder = R"sql(
select r.id, c.sha, 0
from steelyard.projects p
join steelyard.runs r using (project_key)
join steelyard.environments e using (environment_key)
left join steelyard.commits c using (commit_key)
left join steelyard.branch_positions o on o.project_key = r.project_key and o.branch = $4::text and o.sha = c.sha
left join steelyard.branch_positions own
  on own.project_key = r.project_key and own.branch = $4::text and own.sha = $2::text
where p.name = $1::text and hashtextextended(r.branch, 0) = hashtextextended($4::text, 0) and r.branch = $4::text
  and e.fingerprint = $3::text and not r.dirty and c.sha is distinct from $2::text and o.on_branch is not false
  and not exists (select from steelyard.request_runs q where q.run_key = r.run_key)
  and (own.position is null or o.position is null or o.position < own.position)
order by o.position desc nulls last, commit_date(c, r) desc,
         r.created_at_unix_ns desc, r.id desc
limit 1
)sql";

struct SideOfRun {
  std::int64_t key = 0;
  std::int64_t project = 0;
  std::string fingerprint;
};
Result<SideOfRun> read_side(Transaction& transaction, std::int64_t run_key) {
  STEELYARD_TRY(const Rows rows,
                transaction.run("select r.project_key, e.fingerprint from steelyard.runs r "
                                "join steelyard.environments e using (environment_key) where r.run_key = $1",
                                SqlValues().integer(run_key), kOneRow));
  return SideOfRun{run_key, rows.integer(0, 0), rows.text(0, 1)};
}

// $1 the baseline, $2 the candidate, $3 how many: the newest runs of the baseline's branch and machine up to it.
constexpr const char* kRunsBefore = R"sql(
select r.run_key
from steelyard.runs own
left join steelyard.commits own_commit using (commit_key)
join steelyard.environments own_machine using (environment_key)
left join steelyard.branch_positions own_place
  on own_place.project_key = own.project_key and own_place.branch = own.branch and own_place.sha = own_commit.sha
join steelyard.runs r
  on r.project_key = own.project_key and hashtextextended(r.branch, 0) = hashtextextended(own.branch, 0)
join steelyard.environments e on e.environment_key = r.environment_key
left join steelyard.commits c on c.commit_key = r.commit_key
left join steelyard.branch_positions o
  on o.project_key = r.project_key and o.branch = r.branch and o.sha = c.sha
where own.run_key = $1 and r.branch = own.branch and e.fingerprint = own_machine.fingerprint
  and r.run_key <> $1 and r.run_key <> $2 and not r.dirty and o.on_branch is not false
  and not exists (select from steelyard.request_runs q where q.run_key = r.run_key)
  and case when o.position is not null and own_place.position is not null then o.position <= own_place.position
      else commit_date(c, r) <=
           commit_date(own_commit, own) end
order by o.position desc nulls last, commit_date(c, r) desc,
         r.created_at_unix_ns desc, r.id desc
limit $3
)sql";

constexpr const char* kSeriesOfRuns = R"sql(
select s.series_key, b.canonical, m.name, m.unit, m.better, m.kind
from (select distinct series_key from steelyard.measurements where run_key = any(array[$1, $2]::integer[])) of_runs
join steelyard.series s using (series_key)
join steelyard.benchmarks b using (benchmark_key)
join steelyard.metrics m using (metric_key)
order by b.canonical, m.name, s.series_key
)sql";

constexpr int kMaxRunsBefore = 10'000;

Result<void> check_same_conditions(const SideOfRun& baseline, const SideOfRun& candidate) {
  if (baseline.project != candidate.project) {
    return input_error("run", "runs of two projects", "two runs of one project");
  }
  if (baseline.fingerprint != candidate.fingerprint) {
    return input_error(
        "run",
        "runs of two machines (" + shown_id(baseline.fingerprint) + " and " + shown_id(candidate.fingerprint) + ')',
        "two runs of one class of machine");
  }
  return {};
}

}  // namespace

Result<std::optional<FoundBaseline>> read_latest_baseline(Session& session, const BaselineQuery& query) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const Rows ancestor, transaction.run(kNearestAncestor,
                                                     SqlValues()
                                                         .text(query.project)
                                                         .text(query.commit)
                                                         .text(query.fingerprint)
                                                         .text(query.only_branch ? query.branch : ""),
                                                     kAtMostOneRow));
  if (ancestor.size() == 1) {
    return std::optional(FoundBaseline{ancestor.text(0, 0), ancestor.text(0, 1), ancestor.integer(0, 2), true});
  }
  if (query.branch.empty()) return std::optional<FoundBaseline>();
  STEELYARD_TRY(
      const Rows older,
      transaction.run(with_commit_dates(kNewestOlder),
                      SqlValues().text(query.project).text(query.commit).text(query.fingerprint).text(query.branch),
                      kAtMostOneRow));
  if (older.size() == 0) return std::optional<FoundBaseline>();
  return std::optional(
      FoundBaseline{older.text(0, 0), older.is_null(0, 1) ? std::string() : older.text(0, 1), 0, false});
}

Result<std::vector<SeriesBesideHistory>> read_beside_history(Session& session, const BesideHistoryQuery& query) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const std::int64_t baseline_key, find_run(session, transaction, query.baseline));
  STEELYARD_TRY(const std::int64_t candidate_key, find_run(session, transaction, query.candidate));
  STEELYARD_TRY(const SideOfRun baseline, read_side(transaction, baseline_key));
  STEELYARD_TRY(const SideOfRun candidate, read_side(transaction, candidate_key));
  STEELYARD_CHECK(check_same_conditions(baseline, candidate));

  STEELYARD_TRY(
      const Rows runs,
      transaction.run(
          with_commit_dates(kRunsBefore),
          SqlValues().integer(baseline.key).integer(candidate.key).integer(std::clamp(query.runs, 0, kMaxRunsBefore))));
  ValuesQuery wanted;
  wanted.runs.push_back(baseline.key);
  for (std::int64_t row = 0; row < runs.size(); ++row) wanted.runs.push_back(runs.integer(row, 0));
  if (candidate.key != baseline.key) wanted.runs.push_back(candidate.key);
  STEELYARD_TRY(const Rows series,
                transaction.run(kSeriesOfRuns, SqlValues().integer(baseline.key).integer(candidate.key)));
  wanted.series = series.integers(0);
  STEELYARD_TRY(const auto values, read_series_values(transaction, wanted));

  std::vector<SeriesBesideHistory> all;
  for (std::int64_t row = 0; row < series.size(); ++row) {
    SeriesBesideHistory& one = all.emplace_back();
    one.benchmark = series.text(row, 1);
    one.metric = metric_of(series, row, 2);
    const std::vector<SeriesValue>& of_series = values[static_cast<std::size_t>(row)];
    for (auto value = of_series.rbegin(); value != of_series.rend(); ++value) {
      const std::int64_t key = wanted.runs[value->run];
      if (key == baseline.key) one.baseline = value->value;
      if (key == candidate.key) one.candidate = value->value;
      if (key != baseline.key && key != candidate.key) one.history.push_back(value->value);
    }
  }
  return all;
}

}  // namespace steelyard::storage
