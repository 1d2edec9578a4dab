#include "storage/postgres/history/baseline_reader.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "storage/postgres/history/commit_order.hpp"
#include "storage/postgres/history/series_values.hpp"
#include "storage/postgres/runs/run_reader.hpp"
#include "storage/postgres/session/dictionaries.hpp"

namespace steelyard {
namespace {

// $1 project, $2 commit, $3 fingerprint, $4 branch or empty. Commits come nearest first, and the walk goes on only as
// long as none of them has a run: PostgreSQL computes of a recursion what is asked for. Bounded, since data may hold
// cycles. Here and below: a run of a changed tree says nothing of the commit that it stands at.
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

constexpr int kMostRunsBefore = 10'000;

Result<void> check_same_conditions(const SideOfRun& baseline, const SideOfRun& candidate) {
  if (baseline.project != candidate.project) {
    return input_error("run", "runs of two projects", "two runs of one project");
  }
  if (baseline.fingerprint != candidate.fingerprint) {
    return input_error("run",
                       "runs of two machines (" + baseline.fingerprint.substr(0, 8) + " and " +
                           candidate.fingerprint.substr(0, 8) + ')',
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

  STEELYARD_TRY(const Rows runs, transaction.run(with_commit_dates(kRunsBefore),
                                                 SqlValues()
                                                     .integer(baseline.key)
                                                     .integer(candidate.key)
                                                     .integer(std::clamp(query.runs, 0, kMostRunsBefore))));
  ValuesQuery wanted;
  wanted.runs.push_back(baseline.key);
  for (std::int64_t row = 0; row < runs.size(); ++row) wanted.runs.push_back(runs.integer(row, 0));
  if (candidate.key != baseline.key) wanted.runs.push_back(candidate.key);
  STEELYARD_TRY(const Rows series,
                transaction.run(kSeriesOfRuns, SqlValues().integer(baseline.key).integer(candidate.key)));
  for (std::int64_t row = 0; row < series.size(); ++row) wanted.series.push_back(series.integer(row, 0));
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

}  // namespace steelyard
