#include "storage/postgres/catalog/catalog_reader.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "bench/model/comparison.hpp"
#include "bench/model/quantile.hpp"
#include "storage/packing/packed_samples.hpp"
#include "storage/postgres/session/cursor.hpp"
#include "storage/postgres/session/sql_fields.hpp"

namespace steelyard::storage {
namespace {

// Beyond what to_timestamp() takes a clock was wrong.
constexpr const char* kTimeForm = "'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'";
// Empty: nobody knows the date.
std::string time_of_ns(const std::string& column) {
  return "case when " + column + " > 0 then to_char(to_timestamp(" + column + " / 1e9) at time zone 'UTC', " +
         kTimeForm + ") else '' end";
}
std::string time_of_s(const std::string& column) {
  return "case when " + column + " > 0 then to_char(to_timestamp(least(" + column +
         ", 253402300799)) at time zone 'UTC', " + kTimeForm + ") else '' end";
}

// Texts of a column (collation "C") that begin with $n, by its index.
std::string begins_with(const std::string& column, int place) {
  const std::string text = '$' + std::to_string(place) + "::text";
  return column + " >= " + text + " and " + column + " < " + text + " || chr(1114111)";
}

struct ListStatement {
  std::string_view kind;  // of the cursor
  std::size_t keys = 1;   // columns of the cursor, which stand before the item's
  std::string text;       // its last value is how many rows to yield
  SqlValues values;
};

template <Described T>
Result<Page<T>> read_list(Transaction& transaction, ListStatement list, int limit) {
  const std::int64_t most = std::clamp(limit, 1, kMaxListed);
  STEELYARD_TRY(const Rows rows, transaction.run(list.text, list.values.integer(most + 1), {0, most + 1}));
  Page<T> page;
  for (std::int64_t row = 0; row < std::min(rows.size(), most); ++row) {
    read_fields(rows, row, static_cast<int>(list.keys), page.items.emplace_back());
  }
  if (rows.size() > most) {
    std::vector<std::string> last;
    for (std::size_t key = 0; key < list.keys; ++key) last.push_back(rows.text(most - 1, static_cast<int>(key)));
    page.next = write_cursor(list.kind, last);
  }
  return page;
}

// The cursor's fields, or those before the first row.
Result<std::vector<std::string>> place_of(const ListQuery& query, std::string_view kind,
                                          std::vector<std::string> first) {
  if (query.after.empty()) return first;
  return read_cursor(kind, first.size(), query.after);
}

// Of lists that go by time and key, newest first. Error (input): somebody wrote the cursor.
struct TimePlace {
  std::int64_t at = std::numeric_limits<std::int64_t>::max();
  std::int64_t key = std::numeric_limits<std::int64_t>::max();
};
Result<TimePlace> time_place_of(const ListQuery& query, std::string_view kind) {
  if (query.after.empty()) return TimePlace{};
  STEELYARD_TRY(const std::vector<std::string> fields, read_cursor(kind, 2, query.after));
  STEELYARD_TRY(const std::int64_t at, number_of_cursor(fields[0]));
  STEELYARD_TRY(const std::int64_t key, number_of_cursor(fields[1]));
  return TimePlace{at, key};
}

}  // namespace

// $1 project or empty, $2 the name before the first, $3 whether there is one.
Result<Page<ProjectEntry>> read_project_list(Session& session, const ListQuery& query) {
  constexpr std::string_view kKind = "projects";
  STEELYARD_TRY(const std::vector<std::string> place, place_of(query, kKind, {""}));
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  const std::string inner =
      "select p.name, coalesce(newest.id, '') as newest_run, " + time_of_ns("newest.created_at_unix_ns") +
      " as newest_at, (select count(*) from steelyard.alert_states a where a.project = p.name collate \"C\" and "
      "a.state in ('open', 'reopened')) as open_alerts, coalesce(branches.names, '{}') as branch_name, "
      "coalesce(branches.commits, '{}') as branch_commits, coalesce(branches.times, '{}') as branch_newest_at "
      "from steelyard.projects p "
      "left join lateral (select r.id, r.created_at_unix_ns from steelyard.runs r "
      "where r.project_key = p.project_key order by r.created_at_unix_ns desc, r.run_key desc limit 1) newest on true "
      "cross join lateral (select array_agg(b.branch) as names, array_agg(b.commits) as commits, array_agg(" +
      time_of_ns("b.tip_first_run_at_unix_ns") +
      ") as times from (select * from steelyard.branches b where b.project_key = p.project_key "
      "order by b.tip_first_run_at_unix_ns desc, b.branch limit " +
      std::to_string(kMaxBranchesListed) +
      ") b) branches where ($1::text = '' or p.name = $1::text) and (not $3::boolean or p.name > $2::text) "
      "order by p.name limit $4";
  SqlValues values;
  values.text(query.project).text(place[0]).boolean(!query.after.empty());
  return read_list<ProjectEntry>(
      transaction,
      {kKind, 1, "select q.name, " + selected<ProjectEntry>("q") + " from (" + inner + ") q order by q.name", values},
      query.limit);
}

// $1 project, $2 branch, $3 commit, $4 machine, $5 and $6 the place before the first.
Result<Page<RunEntry>> read_run_list(Session& session, const ListQuery& query) {
  constexpr std::string_view kKind = "runs";
  STEELYARD_TRY(const TimePlace place, time_place_of(query, kKind));
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  const std::string inner =
      "select r.created_at_unix_ns, r.run_key, r.id, p.name as project, r.program, r.tool, "
      "coalesce(c.sha, '') as commit, coalesce(c.parent, '') as parent, r.branch, coalesce(c.subject, '') as "
      "subject, " +
      time_of_s("coalesce(c.committed_at_unix_s, 0)") + " as committed_at, r.dirty, " +
      time_of_ns("r.created_at_unix_ns") +
      " as at, e.fingerprint, r.session, r.layout, r.measurements, r.samples "
      "from steelyard.runs r join steelyard.projects p using (project_key) "
      "join steelyard.environments e using (environment_key) left join steelyard.commits c using (commit_key) "
      "where r.created_at_unix_ns <= $5::bigint and (r.created_at_unix_ns, r.run_key) < ($5::bigint, $6::bigint) "
      "and ($1::text = '' or r.project_key = (select project_key from steelyard.projects where name = $1::text)) "
      "and ($2::text = '' or r.branch = $2::text) "
      "and ($3::text = '' or r.commit_key = any(array(select commit_key from steelyard.commits where " +
      begins_with("sha", 3) +
      "))) and ($4::text = '' or r.environment_key = any(array(select environment_key from steelyard.environments "
      "where " +
      begins_with("fingerprint", 4) + "))) order by r.created_at_unix_ns desc, r.run_key desc limit $7";
  SqlValues values;
  values.text(query.project).text(query.branch).text(query.commit).text(query.machine);
  values.integer(place.at).integer(place.key);
  return read_list<RunEntry>(transaction,
                             {kKind, 2,
                              "select q.created_at_unix_ns, q.run_key, " + selected<RunEntry>("q") + " from (" + inner +
                                  ") q order by q.created_at_unix_ns desc, q.run_key desc",
                              values},
                             query.limit);
}

// $1 project, $2 branch, $3 the candidate's commit, $4 and $5 the place before the first.
Result<Page<ComparisonEntry>> read_comparison_list(Session& session, const ListQuery& query) {
  constexpr std::string_view kKind = "comparisons";
  STEELYARD_TRY(const TimePlace place, time_place_of(query, kKind));
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  std::string counts;
  std::string all_counts =
      "coalesce(x.gates, 0) as gates, coalesce(x.unjudged, 0) as unjudged, "
      "coalesce(case when x.any_gates then x.gating else x.asked end, 0) as benchmarks, "
      "coalesce(case when x.any_gates then x.gating - x.gating_decided else x.asked - x.decided end, 0) as undecided";
  SqlWriter verdicts;
  visit_default<VerdictCounts>(verdicts);
  for (const std::string& verdict : verdicts.names()) {
    const std::string name = "summary_" + verdict;
    counts += "count(*) filter (where x.verdict = '" + verdict + "') as " + name + ", ";
    all_counts += ", coalesce(x." + name + ", 0) as " + name;
  }
  // A distributed store joins what all nodes have with what is spread over them by no lateral aggregate: so the page
  // first, and its counts by their key.
  const std::string page =
      "select c.* from steelyard.comparisons c "
      "where (c.compared_at_unix_ns, c.comparison_key) < ($4::bigint, $5::bigint) "
      "and ($1::text = '' or c.project = $1::text) and ($2::text = '' or c.branch = $2::text) "
      "and ($3::text = '' or (" +
      begins_with("c.candidate_commit", 3) + ")) order by c.compared_at_unix_ns desc, c.comparison_key desc limit $6";
  // A row of kAllBenchmarks may be the only one that gates, and is of no benchmark.
  const auto benchmarks = [](const std::string& name, const std::string& of) {
    return "count(distinct x.benchmark) filter (where x.benchmark <> '" + std::string(kAllBenchmarks) +
           "' and x.verdict not in ('new', 'skipped'" + of + ") as " + name + ", ";
  };
  const std::string rows = "select x.comparison_key, " + counts + benchmarks("asked", ")") +
                           benchmarks("decided", ", 'inconclusive')") + benchmarks("gating", ") and x.gates") +
                           benchmarks("gating_decided", ", 'inconclusive') and x.gates") +
                           "bool_or(x.gates and x.verdict not in ('new', 'skipped')) as any_gates, "
                           "count(*) filter (where x.verdict in ('missing', 'failed', 'incomparable') and x.gates) as "
                           "unjudged, count(*) filter (where x.verdict = 'regression' and x.gates) as gates "
                           "from steelyard.comparison_rows x "
                           "where x.comparison_key = any(array(select comparison_key from page)) "
                           "group by x.comparison_key";
  const std::string inner =
      "select c.compared_at_unix_ns, c.comparison_key, c.id, c.project, c.branch, c.baseline_run, c.candidate_run, "
      "c.baseline_commit, c.candidate_commit, " +
      time_of_ns("c.compared_at_unix_ns") + " as at, c.candidate_fingerprint as fingerprint, " + all_counts +
      " from page c left join rows x using (comparison_key)";
  SqlValues values;
  values.text(query.project).text(query.branch).text(query.commit).integer(place.at).integer(place.key);
  return read_list<ComparisonEntry>(
      transaction,
      {kKind, 2,
       "with page as materialized (" + page + "), rows as materialized (" + rows +
           ") select q.compared_at_unix_ns, q.comparison_key, " + selected<ComparisonEntry>("q") + " from (" + inner +
           ") q order by q.compared_at_unix_ns desc, q.comparison_key desc",
       values},
      query.limit);
}

namespace {

constexpr std::string_view kMachines = "machines";

// $1 project, $2 the beginning of a fingerprint, $3 the fingerprint before the first. Environments are few; of each its
// runs are counted by their index. The noise is that of the newest comparison of a machine, found by its key.
std::string machines_statement() {
  const std::string of_environment =
      "from steelyard.runs r where r.environment_key = e.environment_key "
      "and ($1::text = '' or r.project_key = (select project_key from steelyard.projects where name = $1::text))";
  const auto facts = [](const std::string& value, const std::string& name) {
    return "array(select " + value +
           " from jsonb_array_elements(n.facts) with ordinality f(fact, i) order by f.i) as fact_" + name;
  };
  return "with page as materialized (select e.fingerprint, sum(u.runs)::bigint as runs, min(u.first_at) as first_at, "
         "max(u.newest_at) as newest_at, (array_agg(e.environment_key order by u.newest_at desc))[1] as newest "
         "from steelyard.environments e cross join lateral (select count(*) as runs, "
         "min(nullif(r.created_at_unix_ns, 0)) as first_at, max(r.created_at_unix_ns) as newest_at " +
         of_environment + ") u where u.runs > 0 and e.fingerprint > $3::text and ($2::text = '' or (" +
         begins_with("e.fingerprint", 2) +
         ")) group by e.fingerprint order by e.fingerprint limit $4), "
         "compared as materialized (select m.fingerprint, c.comparison_key from page m cross join lateral "
         "(select c.comparison_key from steelyard.comparisons c where c.candidate_fingerprint = m.fingerprint "
         "and ($1::text = '' or c.project = $1::text) "
         "order by c.compared_at_unix_ns desc, c.comparison_key desc limit 1) c), "
         "noises as materialized (select x.comparison_key, percentile_cont(0.5) within group (order by "
         "x.noise_between) as noise from steelyard.comparison_rows x where x.comparison_key = any(array(select "
         "comparison_key from compared)) and x.noise_between < 'Infinity' group by x.comparison_key) "
         "select q.fingerprint, " +
         selected<MachineEntry>("q") + " from (select m.fingerprint, m.runs, " + time_of_ns("m.first_at") +
         " as first_at, " + time_of_ns("m.newest_at") + " as newest_at, noises.noise, " +
         facts("f.fact ->> 'name'", "name") + ", " + facts("f.fact ->> 'value'", "value") + ", " +
         facts("(f.fact ->> 'decisive')::boolean", "decisive") +
         " from page m join steelyard.environments n on n.environment_key = m.newest "
         "left join compared on compared.fingerprint = m.fingerprint left join noises using (comparison_key)) q "
         "order by q.fingerprint";
}

// $1 fingerprint.
Result<std::vector<CalibrationEntry>> read_calibrations(Transaction& transaction, const std::string& fingerprint) {
  const std::string inner = "select c.*, " + time_of_s("c.measured_at_unix_s") +
                            " as at from steelyard.calibrations c where c.fingerprint = $1 "
                            "order by c.measured_at_unix_s desc, c.calibration_key desc limit " +
                            std::to_string(kMaxCalibrationsListed);
  STEELYARD_TRY(const Rows rows, transaction.run("select " + selected<CalibrationEntry>("q") + " from (" + inner +
                                                     ") q order by q.measured_at_unix_s desc, q.calibration_key desc",
                                                 SqlValues().text(fingerprint), {0, kMaxCalibrationsListed}));
  std::vector<CalibrationEntry> all(static_cast<std::size_t>(rows.size()));
  for (std::int64_t row = 0; row < rows.size(); ++row) read_fields(rows, row, 0, all[static_cast<std::size_t>(row)]);
  return all;
}

}  // namespace

Result<Page<MachineEntry>> read_machine_list(Session& session, const ListQuery& query) {
  STEELYARD_TRY(const std::vector<std::string> place, place_of(query, kMachines, {""}));
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  SqlValues values;
  values.text(query.project).text(query.machine).text(place[0]);
  STEELYARD_TRY(Page<MachineEntry> page,
                read_list<MachineEntry>(transaction, {kMachines, 1, machines_statement(), values}, query.limit));
  for (MachineEntry& machine : page.items) {
    STEELYARD_TRY(machine.calibrations, read_calibrations(transaction, machine.fingerprint));
  }
  return page;
}

namespace {

// A project that stopped holding targets has none in so many runs of a branch.
constexpr const char* kRunsLookedAtForTargets = "200";

}  // namespace

// $1 project, $2 branch, $3 benchmark, $4 run, $5 to $7 the place before the first.
Result<Page<TargetEntry>> read_target_list(Session& session, const ListQuery& query) {
  constexpr std::string_view kKind = "targets";
  STEELYARD_TRY(const std::vector<std::string> place, place_of(query, kKind, {"", "0", "-1"}));
  STEELYARD_TRY(const std::int64_t run_key, number_of_cursor(place[1]));
  STEELYARD_TRY(const std::int64_t position, number_of_cursor(place[2]));
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  // A distributed store asks no table that is spread over its nodes for each row of one that all have.
  const std::string newest =
      std::string(
          "with seen as materialized (select b.project_key, b.branch, r.environment_key, r.run_key "
          "from steelyard.branches b join steelyard.projects p using (project_key) "
          "cross join lateral (select r.run_key, r.environment_key from steelyard.runs r "
          "where r.project_key = b.project_key "
          "and hashtextextended(r.branch, 0) = hashtextextended(b.branch, 0) and r.branch = b.branch "
          "and not exists (select from steelyard.request_runs q where q.run_key = r.run_key) "
          "order by r.run_key desc limit ") +
      kRunsLookedAtForTargets +
      ") r where ($1::text = '' or p.name = $1::text) and ($2::text = '' or b.branch = $2::text)), "
      "held as materialized (select t.run_key from steelyard.target_verdicts t "
      "where t.run_key = any(array(select run_key from seen)) and t.position = 0) "
      "select distinct on (s.project_key, s.branch, s.environment_key) s.run_key from seen s "
      "where s.run_key in (select run_key from held) "
      "order by s.project_key, s.branch, s.environment_key, s.run_key desc";
  const std::string one = "select r.run_key from steelyard.runs r where " + begins_with("r.id", 4) + " limit 2";
  const std::string inner =
      "select t.run_key, t.position, r.id as run, coalesce(c.sha, '') as commit, " +
      time_of_ns("r.created_at_unix_ns") +
      " as at, p.name as project, r.branch, e.fingerprint, t.benchmark, t.metric, d.target, d.of_what, d.least, "
      "t.achieved, t.achieved_low, t.achieved_high, t.ceiling, t.utilization, t.intensity, t.bound, t.verdict, "
      "t.reason from (" +
      (query.run.empty() ? newest : one) +
      ") newest join steelyard.target_verdicts t using (run_key) join steelyard.targets d using (target_key) "
      "join steelyard.runs r using (run_key) join steelyard.projects p using (project_key) "
      "join steelyard.environments e using (environment_key) left join steelyard.commits c using (commit_key) "
      "where ($3::text = '' or strpos(t.benchmark, $3::text) > 0) "
      "and (t.benchmark, t.run_key, t.position) > ($5::text, $6::bigint, $7::bigint) "
      "and ($1::text = '' or p.name = $1::text) and ($2::text = '' or r.branch = $2::text) and ($4::text = '' or "
      "r.id >= $4::text) order by t.benchmark, t.run_key, t.position limit $8";
  SqlValues values;
  values.text(query.project).text(query.branch).text(query.benchmark).text(query.run).text(place[0]);
  values.integer(run_key).integer(position);
  return read_list<TargetEntry>(transaction,
                                {kKind, 3,
                                 "select q.benchmark, q.run_key, q.position, " + selected<TargetEntry>("q") +
                                     " from (" + inner + ") q order by q.benchmark, q.run_key, q.position",
                                 values},
                                query.limit);
}

// $1 text, $2 project, $3 the project's key or null. Dictionaries are looked through; runs and commits are found by the
// beginning of their ids.
Result<std::vector<FoundEntry>> read_found(Session& session, const std::string& text, const ListQuery& query) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  const std::string mine = "($2::text = '' or p.name = $2::text)";
  const std::string most = " limit $3)";
  const std::string statement =
      "with found as ((select 1 as rank, 'project' as kind, p.name as text, '' as detail, p.name as project, p.name "
      "as id from steelyard.projects p where strpos(lower(p.name), lower($1::text)) > 0 and " +
      mine + " order by p.name" + most +
      " union all (select distinct 2, 'benchmark', b.canonical, '', p.name, b.canonical from steelyard.benchmarks b "
      "join steelyard.series s using (benchmark_key) join steelyard.projects p using (project_key) "
      "where strpos(lower(b.canonical), lower($1::text)) > 0 and " +
      mine + " order by 3, 5" + most +
      " union all (select 3, 'branch', b.branch, '', p.name, b.branch from steelyard.branches b "
      "join steelyard.projects p using (project_key) where strpos(lower(b.branch), lower($1::text)) > 0 and " +
      mine + " order by b.branch, p.name" + most +
      " union all (select distinct on (c.sha, p.name) 4, 'commit', c.sha, c.subject, p.name, c.sha "
      "from steelyard.commits c join steelyard.runs r using (commit_key) "
      "join steelyard.projects p using (project_key) where (" +
      begins_with("c.sha", 1) + ") and " + mine + " order by c.sha, p.name" + most +
      " union all (select 5, 'run', r.id, r.program, p.name, r.id from steelyard.runs r "
      "join steelyard.projects p using (project_key) where (" +
      begins_with("r.id", 1) + ") and " + mine + " order by r.id" + most +
      " union all (select distinct 6, 'machine', e.fingerprint, '', '', e.fingerprint from steelyard.environments e "
      "where (" +
      begins_with("e.fingerprint", 1) +
      ") and exists (select from steelyard.runs r join steelyard.projects p using (project_key) "
      "where r.environment_key = e.environment_key and " +
      mine + ") order by 3" + most + ") select " + selected<FoundEntry>("f") + " from found f order by f.rank, f.text";
  const std::int64_t limit = std::clamp(query.limit, 1, kMaxListed);
  constexpr std::int64_t kKinds = 6;
  STEELYARD_TRY(const Rows rows, transaction.run(statement, SqlValues().text(text).text(query.project).integer(limit),
                                                 {0, kKinds * limit}));
  std::vector<FoundEntry> found(static_cast<std::size_t>(rows.size()));
  for (std::int64_t row = 0; row < rows.size(); ++row) read_fields(rows, row, 0, found[static_cast<std::size_t>(row)]);
  return found;
}

namespace {

constexpr const char* kPackedOfSeries = R"sql(
select r.id, x.packed
from steelyard.runs r
join steelyard.measurements x using (run_key)
where r.id = any($4::text[]) and x.series_key = any(array(
  select s.series_key from steelyard.series s
  join steelyard.benchmarks b using (benchmark_key) join steelyard.metrics m using (metric_key)
  join steelyard.projects p using (project_key)
  where p.name = $1::text and b.canonical = any($2::text[]) and m.name = $3::text))
)sql";

}  // namespace

Result<std::map<std::string, PointSpread>> read_spreads(Session& session, const SpreadQuery& query) {
  std::map<std::string, PointSpread> spreads;
  if (query.runs.empty()) return spreads;
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  std::vector<std::string> runs(query.runs.begin(), query.runs.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                                             query.runs.size(), kMaxSpreadRuns)));
  STEELYARD_TRY(
      const Rows rows,
      transaction.run(kPackedOfSeries,
                      SqlValues().text(query.project).texts(query.benchmarks).text(query.metric).texts(runs)));
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    if (rows.is_null(row, 1)) continue;
    STEELYARD_TRY(const UnpackedSamples unpacked,
                  unpack_samples(bytes_of_text(rows.raw(row, 1)), "run:" + rows.text(row, 0)));
    std::vector<double> samples;
    for (const InvocationSamples& one : unpacked.invocations) {
      samples.insert(samples.end(), one.values.begin(), one.values.end());
    }
    if (samples.empty()) continue;
    std::sort(samples.begin(), samples.end());
    spreads[rows.text(row, 0)] = {samples.front(), quantile_of_sorted(samples, 0.25), quantile_of_sorted(samples, 0.75),
                                  samples.back()};
  }
  return spreads;
}

namespace {

// $1 to $5: the marks.
constexpr const char* kNewRows = R"sql(
select 'run', p.name, max(r.run_key) from steelyard.runs r join steelyard.projects p using (project_key)
where r.run_key > $1::bigint group by p.name
union all
select 'comparison', c.project, max(c.comparison_key) from steelyard.comparisons c
where c.comparison_key > $2::bigint group by c.project
union all
select 'alert', a.project, max(e.alert_event_key) from steelyard.alert_events e
join steelyard.alert_states a using (alert) where e.alert_event_key > $3::bigint group by a.project
union all
select 'change', c.project, max(l.change_point_log_key) from steelyard.change_point_log l
join steelyard.change_points c using (change_point_key) where l.change_point_log_key > $4::bigint group by c.project
union all
select 'assignment', a.project, max(e.alert_assignment_key) from steelyard.alert_assignments e
join steelyard.alert_states a using (alert) where e.alert_assignment_key > $5::bigint group by a.project
)sql";

}  // namespace

Result<std::vector<NewsEntry>> read_news(Session& session, NewsMarks& marks) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const Rows rows, transaction.run(kNewRows, SqlValues()
                                                               .integer(marks.run)
                                                               .integer(marks.comparison)
                                                               .integer(marks.alert)
                                                               .integer(marks.change)
                                                               .integer(marks.assignment)));
  std::vector<NewsEntry> news;
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    NewsEntry one{rows.text(row, 0), rows.text(row, 1)};
    std::int64_t& mark = one.kind == "run"          ? marks.run
                         : one.kind == "comparison" ? marks.comparison
                         : one.kind == "alert"      ? marks.alert
                         : one.kind == "change"     ? marks.change
                                                    : marks.assignment;
    mark = std::max(mark, rows.integer(row, 2));
    // What opens and ends alerts.
    if (one.kind == "comparison" || one.kind == "change") news.push_back({"alert", one.project});
    if (one.kind == "assignment") one.kind = "alert";
    news.push_back(std::move(one));
  }
  return news;
}

// From the ends of five indexes.
Result<NewsMarks> read_news_marks(Session& session) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(
      const Rows rows,
      transaction.run("select coalesce((select max(run_key) from steelyard.runs), 0)::bigint, "
                      "coalesce((select max(comparison_key) from steelyard.comparisons), 0)::bigint, "
                      "coalesce((select max(alert_event_key) from steelyard.alert_events), 0)::bigint, "
                      "coalesce((select max(change_point_log_key) from steelyard.change_point_log), 0)::bigint, "
                      "coalesce((select max(alert_assignment_key) from steelyard.alert_assignments), 0)::bigint",
                      {}, kOneRow));
  return NewsMarks{rows.integer(0, 0), rows.integer(0, 1), rows.integer(0, 2), rows.integer(0, 3), rows.integer(0, 4)};
}

Result<int> read_schema_version(Session& session) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const Rows rows, transaction.run("select max(version) from steelyard.schema_migrations", {}, kOneRow));
  return static_cast<int>(rows.integer(0, 0));
}

// Two equal snapshots see the same rows of every table; a transaction that writes nothing changes none.
Result<std::string> read_store_version(Session& session) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const Rows rows, transaction.run("select pg_current_snapshot()::text || ' ' || extract(epoch from "
                                                 "pg_postmaster_start_time())",
                                                 {}, kOneRow));
  return rows.text(0, 0);
}

}  // namespace steelyard::storage
