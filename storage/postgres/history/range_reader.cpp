#include "storage/postgres/history/range_reader.hpp"

#include <algorithm>
#include <string>

#include "storage/postgres/history/commit_range.hpp"
#include "storage/postgres/history/cursor.hpp"
#include "storage/postgres/session/benchmark_columns.hpp"

namespace steelyard {
namespace {

constexpr int kMostItems = 10'000;  // of one answer
constexpr const char* kChangedKind = "changed";
constexpr std::size_t kChangedFields = 6;
constexpr const char* kMoversKind = "movers";
constexpr std::size_t kMoversFields = 2;

// $1 project, $2 commits, $3 branch or empty, $4 to $9 the last of the page before, $10 how many.
constexpr const char* kChanged = R"sql(
with found as (
  select benchmark collate "C" as benchmark, metric collate "C" as metric, fingerprint collate "C" as fingerprint,
         branch collate "C" as branch, commit collate "C" as commit, ratio, verdict,
         'change point' collate "C" as source
  from steelyard.change_points
  where commit = any($2::text[]) and project = $1::text and gone_at is null and ($3::text = '' or branch = $3::text)
  union all
  select x.benchmark, m.name, c.candidate_fingerprint collate "C", c.branch collate "C", c.candidate_commit, x.ratio,
         x.verdict, 'comparison'
  from steelyard.comparisons c
  join steelyard.comparison_rows x using (comparison_key)
  join steelyard.metrics m using (metric_key)
  where c.candidate_commit = any($2::text[]) and c.project = $1::text and ($3::text = '' or c.branch = $3::text)
    and x.verdict in ('regression', 'improvement')
), told as (
  select benchmark, metric, fingerprint, branch, commit, source, max(ratio) as ratio,
         bool_or(verdict = 'regression') as regression
  from found
  group by 1, 2, 3, 4, 5, 6
)
select benchmark, metric, fingerprint, branch, commit, source, ratio, regression
from told
where $4::text is null
   or (benchmark, metric, fingerprint, branch, commit, source) >
      ($4::text, $5::text, $6::text, $7::text, $8::text, $9::text)
order by 1, 2, 3, 4, 5, 6
limit $10
)sql";

// Each side's level is the median of so many runs of a machine: one run's would move by its noise alone.
constexpr int kRunsOfASide = 5;

// $1 project, $2 branch, $3 and $4 the ends' positions, $5 runs of a side. Of each machine that measured one of the
// last 200 commits of a side.
constexpr const char* kRunsOnBranch = R"sql(
select run_key, is_after
from (
  select r.run_key, o.position > $3 as is_after,
         row_number() over (partition by e.fingerprint, o.position > $3
                            order by o.position desc, r.created_at_unix_ns desc, r.run_key desc) as age
  from steelyard.branch_positions o
  join steelyard.commits c using (sha)
  join steelyard.runs r on r.commit_key = c.commit_key and r.project_key = o.project_key and r.branch = o.branch
  join steelyard.environments e using (environment_key)
  where o.project_key = $1 and o.branch = $2::text and o.on_branch
    and (o.position between $3 - 199 and $3 or o.position between greatest($3, $4 - 200) + 1 and $4)
) newest
where age <= $5
)sql";

// $1 project, $2 and $3 the ends.
constexpr const char* kRunsOfCommits = R"sql(
select r.run_key, c.sha = $3::text
from steelyard.commits c
join steelyard.runs r using (commit_key)
where c.sha in ($2::text, $3::text) and r.project_key = $1
)sql";

// $1 and $2 runs of either side, $3 and $4 the last of the page before, $5 how many. The planner takes one series to
// have moved; so names are looked up one by one and not joined.
constexpr const char* kMovers = R"sql(
with levels as (
  select x.series_key,
         percentile_cont(0.5) within group (order by x.value)
           filter (where x.run_key + 0 = any($1::integer[])) as before,
         percentile_cont(0.5) within group (order by x.value)
           filter (where x.run_key + 0 = any($2::integer[])) as after,
         count(*) filter (where x.run_key + 0 = any($1::integer[])) as runs_before,
         count(*) filter (where x.run_key + 0 = any($2::integer[])) as runs_after
  from steelyard.measurements x
  where x.run_key = any($1::integer[] || $2::integer[]) and x.value is not null
  group by x.series_key
), moved as (
  select series_key, before, after, runs_before, runs_after, abs(ln(after / before)) as size
  from levels
  where before > 0 and after > 0 and before < 'infinity' and after < 'infinity'
)
select named.canonical, named.name, named.unit, named.better, named.kind, named.fingerprint, moved.before, moved.after,
       moved.runs_before, moved.runs_after, moved.size, moved.series_key
from moved
cross join lateral (
  select b.canonical, m.name, m.unit, m.better, m.kind, s.fingerprint
  from steelyard.series s
  join steelyard.benchmarks b using (benchmark_key)
  join steelyard.metrics m using (metric_key)
  where s.series_key = moved.series_key
  offset 0) named
where (named.name = 'real_time' or named.kind = 'counted') and moved.size > 0
  and ($3::float8 is null or moved.size < $3::float8 or (moved.size = $3::float8 and moved.series_key > $4::integer))
order by moved.size desc, moved.series_key
limit $5
)sql";

Result<void> add_cursor(SqlValues& values, std::string_view kind, std::size_t fields, const std::string& after) {
  if (after.empty()) {
    for (std::size_t i = 0; i < fields; ++i) values.null();
    return {};
  }
  STEELYARD_TRY(const std::vector<std::string> given, read_cursor(kind, fields, after));
  for (const std::string& field : given) values.text(field);
  return {};
}

struct SideRuns {
  std::vector<std::int64_t> before;
  std::vector<std::int64_t> after;
};
Result<SideRuns> read_side_runs(Transaction& transaction, const CommitRange& range) {
  SqlValues values;
  values.integer(range.project_key);
  const bool is_placed = range.from_position && range.to_position;
  if (is_placed) {
    values.text(range.branch).integer(*range.from_position).integer(*range.to_position).integer(kRunsOfASide);
  } else {
    values.text(range.from).text(range.to);
  }
  STEELYARD_TRY(const Rows rows, transaction.run(is_placed ? kRunsOnBranch : kRunsOfCommits, values));
  SideRuns runs;
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    (rows.boolean(row, 1) ? runs.after : runs.before).push_back(rows.integer(row, 0));
  }
  return runs;
}

}  // namespace

Result<RangeQuery> read_complete_range(Session& session, const RangeQuery& query) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  RangeQuery complete = query;
  if (query.from.empty() && query.to.empty()) {
    STEELYARD_TRY(complete, newest_range(transaction, query));
  }
  STEELYARD_TRY(const CommitRange range, find_range(transaction, complete));
  complete.from = range.from;
  complete.to = range.to;
  complete.project = range.project;
  return complete;
}

Result<Page<ChangedSeries>> read_changed_in(Session& session, const RangeQuery& query) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const CommitRange range, find_range(transaction, query));
  STEELYARD_TRY(const std::vector<std::string> commits, commits_between(transaction, range));
  SqlValues values;
  values.text(range.project).texts(commits).text(query.branch);
  STEELYARD_CHECK(add_cursor(values, kChangedKind, kChangedFields, query.after));
  const std::int64_t most = std::clamp(query.limit, 1, kMostItems);
  values.integer(most + 1);
  STEELYARD_TRY(const Rows rows, transaction.run(kChanged, values, {0, most + 1}));
  Page<ChangedSeries> page;
  for (std::int64_t row = 0; row < std::min(rows.size(), most); ++row) {
    page.items.push_back({range.project, rows.text(row, 0), rows.text(row, 1), rows.text(row, 2), rows.text(row, 3),
                          rows.text(row, 4), rows.is_null(row, 6) ? std::nullopt : std::optional(rows.number(row, 6)),
                          rows.boolean(row, 7), rows.text(row, 5) == "comparison"});
  }
  if (rows.size() > most) {
    std::vector<std::string> last;
    for (int column = 0; column < static_cast<int>(kChangedFields); ++column)
      last.push_back(rows.text(most - 1, column));
    page.next = write_cursor(kChangedKind, last);
  }
  return page;
}

Result<Page<Mover>> read_top_movers(Session& session, const RangeQuery& query) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const CommitRange range, find_range(transaction, query));
  STEELYARD_TRY(const SideRuns runs, read_side_runs(transaction, range));
  Page<Mover> page;
  if (runs.before.empty() || runs.after.empty()) return page;
  SqlValues values;
  values.integers(runs.before).integers(runs.after);
  STEELYARD_CHECK(add_cursor(values, kMoversKind, kMoversFields, query.after));
  const std::int64_t most = std::clamp(query.limit, 1, kMostItems);
  values.integer(most + 1);
  STEELYARD_TRY(const Rows rows, transaction.run(kMovers, values, {0, most + 1}));
  for (std::int64_t row = 0; row < std::min(rows.size(), most); ++row) {
    Mover mover{range.project, rows.text(row, 0), metric_of(rows, row, 1), rows.text(row, 5)};
    mover.before = rows.number(row, 6);
    mover.after = rows.number(row, 7);
    mover.ratio = mover.after / mover.before;
    mover.runs_before = rows.integer(row, 8);
    mover.runs_after = rows.integer(row, 9);
    page.items.push_back(std::move(mover));
  }
  if (rows.size() > most) {
    page.next = write_cursor(kMoversKind, {std::string(rows.raw(most - 1, 10)), std::string(rows.raw(most - 1, 11))});
  }
  return page;
}

}  // namespace steelyard
