#include "storage/postgres/history/ranges.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "bench/model/parse_number.hpp"
#include "bench/model/quantile.hpp"
#include "bench/model/text.hpp"
#include "storage/postgres/alerts/alert_names.hpp"
#include "storage/postgres/history/commit_graph.hpp"
#include "storage/postgres/history/series_choice.hpp"
#include "storage/postgres/session/cursor.hpp"
#include "storage/postgres/session/sql_fields.hpp"

namespace steelyard::storage {
namespace {

struct CommitRange {
  std::int64_t project_key = 0;
  std::string project;
  std::string from;  // full hashes
  std::string to;
  // Where both ends lie on one branch: which, and their positions.
  std::string branch;
  std::optional<std::int64_t> from_position{};
  std::optional<std::int64_t> to_position{};
};

constexpr std::size_t kShortestPrefix = 6;
constexpr std::size_t kFullHash = 40;
constexpr std::int64_t kMaxBetween = 100'000;

constexpr const char* kProjects =
    "select project_key, name from steelyard.projects where $1::text = '' or name = $1::text order by name limit 3";
// A comparison that was kept without its runs names a project too. $1 comes first, $2 how many.
constexpr const char* kProjectNames = R"sql(
select name
from (select name from steelyard.projects
      union
      select project collate "C" from steelyard.alert_states) known
order by name <> $1::text, name
limit $2::bigint
)sql";
// $1 the prefix, $2 project. What was measured in it, or has its place there still: others put commits there, too.
constexpr const char* kByPrefix = R"sql(
select distinct sha
from steelyard.commits c
cross join lateral (
  select from steelyard.runs r where r.commit_key = c.commit_key and r.project_key = $2
  union all
  select from steelyard.branch_positions o where o.project_key = $2 and o.sha = c.sha
  limit 1) known
where sha >= $1::text and sha < $1::text || chr(1114111)
order by sha
limit 3
)sql";

constexpr std::size_t kUsualCommits = 10;
constexpr std::int64_t kRunsForThem = 1000;  // a commit may be measured on many machines, and again

constexpr const char* kNewestBranch =
    "select branch from steelyard.branches where project_key = $1 "
    "order by coalesce(nullif(tip_committed_at_unix_s, 0) * 1000000000, tip_first_run_at_unix_ns) desc, branch limit 1";

// $1 project, $2 and $3 the ends, $4 branch or empty.
constexpr const char* kCommonBranch = R"sql(
select older.branch, older.position, newer.position
from steelyard.branch_positions older
join steelyard.branch_positions newer
  on newer.project_key = older.project_key and newer.branch = older.branch and newer.sha = $3::text
where older.project_key = $1 and older.sha = $2::text and older.on_branch and newer.on_branch
  and ($4::text = '' or older.branch = $4::text)
order by older.branch
limit 1
)sql";

constexpr const char* kBetweenPositions =
    "select sha from steelyard.branch_positions where project_key = $1 and branch = $2 and position > $3 and "
    "position <= $4 and on_branch";

Result<void> find_project(Transaction& transaction, const std::string& name, CommitRange& range) {
  STEELYARD_TRY(const Rows rows, transaction.run(kProjects, SqlValues().text(name)));
  if (rows.size() == 0) {
    return input_error("--project", '"' + name + '"', "a project that the store has runs of");
  }
  if (rows.size() > 1) {
    return input_error("--project", "all, and the store has \"" + rows.text(0, 1) + "\" and \"" + rows.text(1, 1) + '"',
                       "the one that the commits are of");
  }
  range.project_key = rows.integer(0, 0);
  range.project = rows.text(0, 1);
  return {};
}

Result<std::string> find_commit(Transaction& transaction, const std::string& text, std::int64_t project_key) {
  if (text.size() >= kFullHash) return text;
  const std::string where = "commit:" + text;
  if (text.size() < kShortestPrefix) {
    return input_error(where, std::to_string(text.size()) + " characters",
                       "at least " + std::to_string(kShortestPrefix) + " of the commit's hash");
  }
  STEELYARD_TRY(const Rows rows, transaction.run(kByPrefix, SqlValues().text(text).integer(project_key)));
  if (rows.size() == 0)
    return input_error(where, "no such commit in the store", "one that was measured, or its full hash");
  if (rows.size() > 1 && rows.text(0, 0) != text) {
    return input_error(where, "several commits, such as " + rows.text(0, 0) + " and " + rows.text(1, 0), "one commit",
                       "write more of its hash");
  }
  return rows.text(0, 0);
}

using ShaSet = std::unordered_set<std::string>;

ShaSet reached_from(const std::string& sha, const KnownParents& parents, const ShaSet& without) {
  ShaSet reached;
  std::vector<std::string> waiting{sha};
  while (!waiting.empty()) {
    const std::string next = std::move(waiting.back());
    waiting.pop_back();
    if (without.contains(next) || !reached.insert(next).second) continue;
    const auto known = parents.find(next);
    if (known != parents.end()) waiting.insert(waiting.end(), known->second.begin(), known->second.end());
  }
  return reached;
}

// Error (input): an end, the project or the branch is not known or not the only one.
Result<CommitRange> find_range(Transaction& transaction, const RangeQuery& query) {
  CommitRange range;
  STEELYARD_CHECK(find_project(transaction, query.project, range));
  STEELYARD_TRY(range.from, find_commit(transaction, query.from, range.project_key));
  STEELYARD_TRY(range.to, find_commit(transaction, query.to, range.project_key));
  range.branch = query.branch;
  STEELYARD_TRY(
      const Rows rows,
      transaction.run(kCommonBranch,
                      SqlValues().integer(range.project_key).text(range.from).text(range.to).text(query.branch),
                      kAtMostOneRow));
  if (rows.size() == 1) {
    range.branch = rows.text(0, 0);
    range.from_position = rows.integer(0, 1);
    range.to_position = rows.integer(0, 2);
    if (*range.from_position > *range.to_position) {
      return input_error(query.from + ".." + query.to,
                         "a range whose first commit is the newer one on branch " + range.branch,
                         "the older commit first");
    }
  }
  return range;
}

// From the tenth newest of the measured commits that are on the branch to the newest; all where there are fewer. An
// empty branch becomes the one whose end is newest; without any, dates decide. Error (input): fewer than two.
Result<RangeQuery> newest_range(Transaction& transaction, const RangeQuery& query) {
  CommitRange range;
  STEELYARD_CHECK(find_project(transaction, query.project, range));
  RangeQuery complete = query;
  if (query.branch.empty()) {
    STEELYARD_TRY(const Rows newest,
                  transaction.run(kNewestBranch, SqlValues().integer(range.project_key), kAtMostOneRow));
    if (newest.size() == 1) complete.branch = newest.text(0, 0);
  }
  RunOrderCache cache;
  STEELYARD_TRY(const NewestRuns runs,
                newest_runs(transaction, {range.project_key, complete.branch, false, kRunsForThem}, cache));
  std::vector<std::string> commits;
  for (const OrderedRun& run : runs.newest) {
    if (commits.size() == kUsualCommits) break;
    if (run.commit.empty() || std::find(commits.begin(), commits.end(), run.commit) != commits.end()) continue;
    commits.push_back(run.commit);
  }
  if (commits.size() < 2) {
    return input_error("A..B",
                       "no range, and " + std::to_string(commits.size()) + " measured commits" +
                           (complete.branch.empty() ? "" : " on branch " + complete.branch),
                       "two commits", "name them, or another --branch");
  }
  complete.to = commits.front();
  complete.from = commits.back();
  return complete;
}

// After `from` up to `to`: by their positions on the branch, else those that `to` reaches and `from` does not.
Result<std::vector<std::string>> commits_between(Transaction& transaction, const CommitRange& range) {
  if (range.from_position && range.to_position) {
    STEELYARD_TRY(const Rows rows, transaction.run(kBetweenPositions,
                                                   SqlValues()
                                                       .integer(range.project_key)
                                                       .text(range.branch)
                                                       .integer(*range.from_position)
                                                       .integer(*range.to_position),
                                                   {0, kMaxBetween}));
    return rows.texts(0);
  }
  STEELYARD_TRY(const KnownParents parents, read_parents(transaction, range.project_key));
  const ShaSet before = reached_from(range.from, parents, {});
  const ShaSet between = reached_from(range.to, parents, before);
  return std::vector<std::string>(between.begin(), between.end());
}

constexpr int kMaxItems = 10'000;  // of one answer
constexpr const char* kChangedKind = "changed";
constexpr std::size_t kChangedFields = 6;
constexpr const char* kStepsKind = "steps";
constexpr std::size_t kStepsFields = 3;
constexpr const char* kMoversKind = "movers";
constexpr std::size_t kMoversFields = 2;

// $1 project, $2 commits, $3 branch or empty, $4 to $9 the last of the page before, $10 how many. Of comparisons those
// whose candidate is there and came of no request.
constexpr const char* kChanged = R"sql(
with found as (
  select benchmark collate "C" as benchmark, metric collate "C" as metric, fingerprint collate "C" as fingerprint,
         branch collate "C" as branch, commit collate "C" as commit, ratio, verdict,
         'change point' collate "C" as source
  from steelyard.change_points
  where commit = any($2::text[]) and project = $1::text and gone_at is null and ($3::text = '' or branch = $3::text)
    and cause <> 'creep'  -- no commit of it changed the level by that much
  union all
  select x.benchmark, m.name, c.candidate_fingerprint collate "C", c.branch collate "C", c.candidate_commit, x.ratio,
         x.verdict, 'comparison'
  from steelyard.comparisons c
  join steelyard.comparison_rows x using (comparison_key)
  join steelyard.metrics m using (metric_key)
  where c.candidate_commit = any($2::text[]) and c.project = $1::text and ($3::text = '' or c.branch = $3::text)
    and x.verdict in ('regression', 'improvement')
    and exists (
      select from steelyard.runs r
      left join steelyard.request_runs q using (run_key)
      where r.id = c.candidate_run and q.run_key is null)
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

// $1 project, $2 a part of the benchmark, $3 metric or empty, $4 how many, $5 fingerprint or empty, $6 commits or none,
// $7 to $9 the last of the page before.
// A run of a changed tree says nothing of the commit that it stands at, and one of a request is no part of a history.
// Of a candidate that is not there nobody knows whether it was of a request. What was not timed, as the program is the
// same, is a step of exactly 1: the histories of time lead on through it.
constexpr const char* kSteps = R"sql(
select c.compared_at_unix_ns, c.comparison_key, x.position, x.benchmark, m.name, c.candidate_fingerprint,
       c.baseline_commit, c.candidate_commit, coalesce(x.ratio, 1),
       case when x.ratio is null then 1 else x.interval_low end,
       case when x.ratio is null then 1 else x.interval_high end, x.confidence
from steelyard.comparisons c
join steelyard.comparison_rows x using (comparison_key)
join steelyard.metrics m using (metric_key)
where c.project = $1::text and c.baseline_commit <> '' and c.candidate_commit <> ''
  and c.baseline_commit <> c.candidate_commit and c.baseline_fingerprint = c.candidate_fingerprint
  and (x.ratio > 0 and x.ratio < 'infinity' and (x.layout in ('duet', 'interleaved') or m.kind = 'counted')
       or x.ratio is null and x.verdict = 'unchanged' and x.notes @> array['not timed', 'equal program'])
  and ($2::text = '' or position($2::text in x.benchmark) > 0) and ($3::text = '' or m.name = $3::text)
  and ($5::text = '' or c.candidate_fingerprint = $5::text)
  and (cardinality($6::text[]) = 0
       or (c.baseline_commit = any($6::text[]) and c.candidate_commit = any($6::text[])))
  and exists (select from steelyard.runs r where r.id = c.candidate_run)
  and not exists (
    select from steelyard.runs r
    left join steelyard.request_runs q using (run_key)
    where r.id in (c.baseline_run, c.candidate_run) and (r.dirty or q.run_key is not null))
  and ($7::bigint is null or (c.compared_at_unix_ns, c.comparison_key) < ($7::bigint, $8::bigint)
       or (c.compared_at_unix_ns = $7::bigint and c.comparison_key = $8::bigint and x.position > $9::integer))
order by c.compared_at_unix_ns desc, c.comparison_key desc, x.position
limit $4
)sql";

// Each side's level is the median of so many runs of a machine: one run's would move by its noise alone. Here too a run
// of a changed tree says nothing of its commit.
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
    and not r.dirty and not exists (select from steelyard.request_runs q where q.run_key = r.run_key)
) newest
where age <= $5
)sql";

// $1 project, $2 and $3 the ends.
constexpr const char* kRunsOfCommits = R"sql(
select r.run_key, c.sha = $3::text
from steelyard.commits c
join steelyard.runs r using (commit_key)
where c.sha in ($2::text, $3::text) and r.project_key = $1 and not r.dirty
  and not exists (select from steelyard.request_runs q where q.run_key = r.run_key)
)sql";

// $1 and $2 runs of either side, $3 and $4 the last of the page before, $5 how many, $6 series that are not asked for.
// The planner takes one series to
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
    and x.series_key <> all($6::integer[])
  group by x.series_key
), moved as (
  select series_key, before, after, runs_before, runs_after, abs(ln(after / before)) as size
  from levels
  where before > 0 and after > 0 and before < 'infinity' and after < 'infinity'
)
select moved.size, moved.series_key, named.canonical, named.name, named.unit, named.better, named.kind,
       named.fingerprint, moved.before, moved.after, moved.runs_before, moved.runs_after
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

Result<std::vector<std::string>> read_projects(Session& session, const std::string& first) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const Rows rows, transaction.run(kProjectNames, SqlValues().text(first).integer(kMaxProjectsNamed),
                                                 {0, kMaxProjectsNamed}));
  return rows.texts(0);
}

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
  const std::int64_t most = std::clamp(query.limit, 1, kMaxItems);
  values.integer(most + 1);
  STEELYARD_TRY(const Rows rows, transaction.run(kChanged, values, {0, most + 1}));
  Page<ChangedSeries> page;
  for (std::int64_t row = 0; row < std::min(rows.size(), most); ++row) {
    ChangedSeries& series = page.items.emplace_back();
    std::string source;
    series.project = range.project;
    read_in_order(rows, row, 0, series.benchmark, series.metric, series.fingerprint, series.branch, series.commit,
                  source, series.ratio, series.regression);
    series.by_comparison = source == "comparison";
  }
  if (rows.size() > most) {
    std::vector<std::string> last;
    for (int column = 0; column < static_cast<int>(kChangedFields); ++column)
      last.push_back(rows.text(most - 1, column));
    page.next = write_cursor(kChangedKind, last);
  }
  return page;
}

Result<Page<MeasuredStep>> read_steps(Session& session, const StepQuery& query) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  const std::int64_t most = std::clamp(query.limit, 1, kMaxSteps);
  SqlValues values;
  values.text(query.project).text(query.benchmark).text(query.metric).integer(most + 1);
  values.text(query.fingerprint).texts(query.commits);
  STEELYARD_CHECK(add_cursor(values, kStepsKind, kStepsFields, query.after));
  STEELYARD_TRY(const Rows rows, transaction.run(kSteps, values, {0, most + 1}));
  Page<MeasuredStep> page;
  for (std::int64_t row = 0; row < std::min(rows.size(), most); ++row) {
    MeasuredStep& step = page.items.emplace_back();
    read_in_order(rows, row, static_cast<int>(kStepsFields), step.benchmark, step.metric, step.fingerprint, step.before,
                  step.after, step.ratio, step.low, step.high, step.confidence);
  }
  if (rows.size() > most) {
    std::vector<std::string> last;
    for (int column = 0; column < static_cast<int>(kStepsFields); ++column)
      last.push_back(std::string(rows.raw(most - 1, column)));
    page.next = write_cursor(kStepsKind, last);
  }
  return page;
}

namespace {

// With what it stands by in the list.
struct SizedMover {
  double size = 0;
  std::int64_t series = 0;
  Mover mover;
};

bool stands_before(const SizedMover& one, const SizedMover& other) {
  return one.size != other.size ? one.size > other.size : one.series < other.series;
}

// Of series that go on under another name, each with those before it, which have moved.
Result<std::vector<SizedMover>> read_continued_movers(Transaction& transaction, const std::string& project,
                                                      const std::vector<ContinuedSeries>& continued,
                                                      const SideRuns& runs) {
  ValuesQuery query;
  std::map<std::int64_t, std::vector<std::size_t>> names_of;  // indexes in query.series, by today's series
  std::map<std::int64_t, const ContinuedSeries*> todays;
  for (const ContinuedSeries& one : continued) {
    const auto [at, is_new] = todays.emplace(one.todays_key, &one);
    if (is_new) {
      names_of[one.todays_key].push_back(query.series.size());
      query.series.push_back(one.todays_key);
    }
    names_of[one.todays_key].push_back(query.series.size());
    query.series.push_back(one.key);
  }
  query.runs = runs.before;
  query.runs.insert(query.runs.end(), runs.after.begin(), runs.after.end());
  STEELYARD_TRY(const std::vector<std::vector<SeriesValue>> values, read_series_values(transaction, query));
  std::vector<SizedMover> movers;
  for (const auto& [key, indexes] : names_of) {
    std::vector<double> before, after;
    for (const std::size_t index : indexes) {
      for (const SeriesValue& value : values[index]) {
        if (std::isnan(value.value)) continue;
        (value.run < runs.before.size() ? before : after).push_back(value.value);
      }
    }
    const ContinuedSeries& series = *todays.at(key);
    const bool is_shown = series.metric.name == kRealTime || series.metric.kind == MetricKind::counted;
    if (!is_shown || before.empty() || after.empty()) continue;
    const double level_before = median(before);
    const double level_after = median(after);
    if (!(level_before > 0) || !(level_after > 0)) continue;
    const double ratio = level_after / level_before;
    const double size = std::abs(std::log(ratio));
    if (!std::isfinite(level_before) || !std::isfinite(level_after) || size == 0) continue;
    movers.push_back({size,
                      key,
                      {project, series.benchmark, series.metric, series.fingerprint, level_before, level_after, ratio,
                       static_cast<std::int64_t>(before.size()), static_cast<std::int64_t>(after.size())}});
  }
  return movers;
}

}  // namespace

Result<Page<Mover>> read_top_movers(Session& session, const RangeQuery& query) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const CommitRange range, find_range(transaction, query));
  STEELYARD_TRY(const SideRuns runs, read_side_runs(transaction, range));
  Page<Mover> page;
  if (runs.before.empty() || runs.after.empty()) return page;
  STEELYARD_TRY(const std::vector<ContinuedSeries> continued,
                continued_series(transaction, range.project, range.branch));
  std::vector<SizedMover> movers;
  std::vector<std::int64_t> read_by_name;
  if (!continued.empty()) {
    STEELYARD_TRY(movers, read_continued_movers(transaction, range.project, continued, runs));
    for (const ContinuedSeries& one : continued) {
      read_by_name.push_back(one.key);
      read_by_name.push_back(one.todays_key);
    }
  }
  SqlValues values;
  values.integers(runs.before).integers(runs.after);
  STEELYARD_CHECK(add_cursor(values, kMoversKind, kMoversFields, query.after));
  const std::int64_t most = std::clamp(query.limit, 1, kMaxItems);
  values.integer(most + 1).integers(read_by_name);
  STEELYARD_TRY(const Rows rows, transaction.run(kMovers, values, {0, most + 1}));
  if (!query.after.empty()) {
    STEELYARD_TRY(const std::vector<std::string> last, read_cursor(kMoversKind, kMoversFields, query.after));
    const SizedMover told{parse_as<double>(last[0]).value_or(0), parse_as<std::int64_t>(last[1]).value_or(0), {}};
    std::erase_if(movers, [&](const SizedMover& one) { return !stands_before(told, one); });
  }
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    SizedMover& one = movers.emplace_back();
    Mover& mover = one.mover;
    mover.project = range.project;
    read_in_order(rows, row, 0, one.size, one.series, mover.benchmark, mover.metric, mover.fingerprint, mover.before,
                  mover.after, mover.runs_before, mover.runs_after);
    mover.ratio = mover.after / mover.before;
  }
  std::sort(movers.begin(), movers.end(), stands_before);
  const std::size_t shown = std::min(movers.size(), static_cast<std::size_t>(most));
  for (std::size_t i = 0; i < shown; ++i) page.items.push_back(std::move(movers[i].mover));
  if (movers.size() > shown) {
    const SizedMover& last = movers[shown - 1];
    page.next = write_cursor(kMoversKind, {shortest_text(last.size), std::to_string(last.series)});
  }
  return page;
}

}  // namespace steelyard::storage
