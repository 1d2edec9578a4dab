#include "storage/postgres/history_reader.hpp"

#include <algorithm>

#include "storage/postgres/benchmark_columns.hpp"

namespace steelyard {
namespace {

// $1 benchmark, $2 metric, $3 branch, $4 project, $5 points kept per series. Series of different projects are kept
// apart: equal names say nothing about equal code. Points follow the commits' dates, whenever they were measured (a
// gate measures the parent again), then the run's id, so that a rebuilt store tells the same history; runs without a
// commit stand where they were taken. A benchmark without a name exists where a whole program failed.
constexpr const char* kStatement = R"sql(
with wanted as (
  select benchmark_key, canonical from steelyard.benchmarks where canonical = $1::text and $1::text <> ''
  union all
  select benchmark_key, canonical from steelyard.benchmarks
  where strpos(canonical, $1::text) > 0
    and ($1::text = '' or not exists (select 1 from steelyard.benchmarks where canonical = $1::text))
), points as (
  select b.canonical, p.name as project, m.name, m.unit, m.better, m.kind, s.fingerprint, r.id, c.sha, c.subject,
         coalesce(nullif(c.committed_at_unix_s, 0) * 1000000000, r.created_at_unix_ns) as place,
         r.created_at_unix_ns, x.position, x.value, x.samples, x.packed,
         row_number() over (
           partition by b.canonical, s.project_key, m.metric_key, s.fingerprint
           order by coalesce(nullif(c.committed_at_unix_s, 0) * 1000000000, r.created_at_unix_ns) desc,
                    r.created_at_unix_ns desc, r.id desc, x.position desc) as age
  from wanted b
  join steelyard.series s using (benchmark_key)
  join steelyard.metrics m using (metric_key)
  join steelyard.projects p using (project_key)
  join steelyard.measurements x using (series_key)
  join steelyard.runs r using (run_key)
  left join steelyard.commits c using (commit_key)
  where case when $2::text = '' then m.name = 'real_time' or m.kind = 'counted' else m.name = $2::text end
    and ($3::text = '' or r.branch = $3::text)
    and ($4::text = '' or p.name = $4::text)
    and x.value is not null
)
select name, unit, better, kind, canonical, project, fingerprint, id, coalesce(sha, ''), coalesce(subject, ''),
       created_at_unix_ns, value, samples, steelyard.packed_invocations(packed)
from points
where age <= $5::bigint
order by canonical, project, name, unit, better, kind, fingerprint, place, created_at_unix_ns, id,
         position
)sql";

bool belongs_to(const HistorySeries& series, const HistorySeries& other) {
  return series.benchmark == other.benchmark && series.project == other.project && series.metric == other.metric &&
         series.fingerprint == other.fingerprint;
}

}  // namespace

Result<std::vector<HistorySeries>> read_history(Session& session, const HistoryQuery& query) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const Rows rows, transaction.run(kStatement, SqlValues()
                                                                 .text(query.benchmark)
                                                                 .text(query.metric)
                                                                 .text(query.branch)
                                                                 .text(query.project)
                                                                 .integer(std::max(query.limit, 0))));
  std::vector<HistorySeries> all;
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    HistorySeries series{rows.text(row, 4), metric_of(rows, row, 0), rows.text(row, 6), {}, rows.text(row, 5)};
    if (all.empty() || !belongs_to(all.back(), series)) all.push_back(std::move(series));
    all.back().points.push_back({rows.text(row, 7), rows.text(row, 8), rows.text(row, 9), rows.integer(row, 10),
                                 rows.number(row, 11), rows.integer(row, 12), rows.integer(row, 13)});
  }
  return all;
}

}  // namespace steelyard
