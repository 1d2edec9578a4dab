#include "storage/postgres/history/change_point_rows.hpp"

#include "bench/model/fields.hpp"
#include "storage/postgres/alerts/alert_rows.hpp"

namespace steelyard::storage {
namespace {

constexpr const char* kReadChangePoints =
    "select id, project, benchmark, metric, fingerprint, branch, commit, last_good, level_before, level_after, ratio, "
    "p, verdict = 'regression', gone_at is not null, cause from steelyard.change_points "
    "where branch = $2 and ($1::text = '' or project = $1::text) order by change_point_key";

constexpr const char* kWrite = R"sql(
with changed as (
  insert into steelyard.change_points (id, project, benchmark, metric, fingerprint, branch, commit, last_good,
                                       level_before, level_after, ratio, p, verdict, gone_at, cause)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, case when $14::boolean then now() end, $18)
  on conflict (project, benchmark, metric, fingerprint, branch, id) do update
    set commit = excluded.commit, last_good = excluded.last_good, level_before = excluded.level_before,
        level_after = excluded.level_after, ratio = excluded.ratio, p = excluded.p, verdict = excluded.verdict,
        gone_at = excluded.gone_at, changed_at = excluded.changed_at, cause = excluded.cause
    where change_points.commit <> excluded.commit or (change_points.gone_at is null) <> (excluded.gone_at is null)
      or change_points.cause <> excluded.cause
  returning change_point_key)
insert into steelyard.change_point_log (change_point_key, event, from_commit, to_commit, at_commit, last_good,
                                        level_before, level_after, ratio, p, verdict, cause)
select change_point_key, $15::text, $16::text, $17::text, $7::text, $8::text, $9::float8, $10::float8, $11::float8,
       $12::float8, $13::text, $18::text from changed
)sql";

// Each as its newest event has it. An older program's events do not say it all: such a point stays as it is.
constexpr const char* kRebuild = R"sql(
with newest as (
  select distinct on (change_point_key) * from steelyard.change_point_log
  order by change_point_key, change_point_log_key desc)
update steelyard.change_points c
set commit = n.at_commit, last_good = n.last_good, level_before = n.level_before, level_after = n.level_after,
    ratio = n.ratio, p = n.p, verdict = n.verdict, changed_at = n.happened_at, cause = coalesce(n.cause, 'commit'),
    gone_at = case when n.to_commit = '' then n.happened_at end
from newest n
where n.change_point_key = c.change_point_key and n.verdict is not null
  and (c.commit, c.last_good, c.level_before, c.level_after, c.ratio, c.p, c.verdict, c.changed_at, c.cause, c.gone_at)
      is distinct from
      (n.at_commit, n.last_good, n.level_before, n.level_after, n.ratio, n.p, n.verdict, n.happened_at,
       coalesce(n.cause, 'commit'), case when n.to_commit = '' then n.happened_at end)
)sql";

}  // namespace

Result<std::vector<KeptChangePoint>> read_change_points(Session& session, const std::string& project,
                                                        const std::string& branch) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const Rows rows, transaction.run(kReadChangePoints, SqlValues().text(project).text(branch)));
  std::vector<KeptChangePoint> points;
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    KeptChangePoint point;
    point.id = rows.text(row, 0);
    point.project = rows.text(row, 1);
    point.benchmark = rows.text(row, 2);
    point.metric = rows.text(row, 3);
    point.fingerprint = rows.text(row, 4);
    point.branch = rows.text(row, 5);
    point.commit = rows.text(row, 6);
    point.last_good = rows.text(row, 7);
    point.before = rows.number(row, 8);
    point.after = rows.number(row, 9);
    if (!rows.is_null(row, 10)) point.ratio = rows.number(row, 10);
    point.p = rows.number(row, 11);
    point.regression = rows.boolean(row, 12);
    point.gone = rows.boolean(row, 13);
    point.cause = parse_word<ChangeCause>(rows.raw(row, 14)).value_or(ChangeCause::commit);
    points.push_back(std::move(point));
  }
  return points;
}

Result<std::int64_t> rebuild_change_points(Session& session) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const Rows changed, transaction.run(kRebuild));
  STEELYARD_CHECK(transaction.commit());
  return changed.affected();
}

Result<bool> write_change_points(Session& session, const std::vector<ChangePointEvent>& events) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  bool changed = false;
  for (const ChangePointEvent& event : events) {
    const KeptChangePoint& point = event.point;
    SqlValues values;
    values.text(point.id).text(point.project).text(point.benchmark).text(point.metric).text(point.fingerprint);
    values.text(point.branch).text(point.commit).text(point.last_good).number(point.before).number(point.after);
    values.number(point.ratio).number(point.p).text(point.regression ? "regression" : "improvement");
    values.boolean(point.gone).text(event.event).text(event.from_commit).text(point.gone ? "" : point.commit);
    values.text(std::string(word_of(point.cause)));
    STEELYARD_TRY(const Rows logged, transaction.run(kWrite, values, kAtMostOneRow));
    changed = changed || logged.affected() > 0;
  }
  if (changed) STEELYARD_CHECK(refresh_alerts(transaction, events));
  STEELYARD_CHECK(transaction.commit());
  return changed;
}

}  // namespace steelyard::storage
