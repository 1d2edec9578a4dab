#include "storage/postgres/history/change_point_rows.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "bench/model/fields.hpp"
#include "storage/postgres/alerts/alert_rows.hpp"
#include "storage/postgres/session/cursor.hpp"
#include "storage/postgres/session/sql_fields.hpp"

namespace steelyard::storage {
namespace {

// What becomes of a point that is there already, and where the event goes.
constexpr const char* kReplace = R"sql(
  on conflict (project, benchmark, metric, fingerprint, branch, id) do update
    set commit = excluded.commit, last_good = excluded.last_good, level_before = excluded.level_before,
        level_after = excluded.level_after, ratio = excluded.ratio, p = excluded.p, verdict = excluded.verdict,
        gone_at = excluded.gone_at, changed_at = excluded.changed_at, cause = excluded.cause,
        taken_back_by = excluded.taken_back_by
    where change_points.commit <> excluded.commit or (change_points.gone_at is null) <> (excluded.gone_at is null)
      or change_points.cause <> excluded.cause or change_points.taken_back_by <> excluded.taken_back_by
  returning change_point_key, commit, last_good, level_before, level_after, ratio, p, verdict, cause, taken_back_by)
insert into steelyard.change_point_log (change_point_key, event, from_commit, to_commit, at_commit, last_good,
                                        level_before, level_after, ratio, p, verdict, cause, taken_back_by)
)sql";
constexpr const char* kLogged = "commit, last_good, level_before, level_after, ratio, p, verdict, cause, taken_back_by";

// The columns of steelyard.change_points, for who writes them and who reads them alike.
struct ChangePointRow {
  KeptChangePoint point;
  std::string verdict;

  static void fields(auto& visit, auto& self) {
    auto& point = self.point;
    visit("id", point.id);
    visit("project", point.project);
    visit("benchmark", point.benchmark);
    visit("metric", point.metric);
    visit("fingerprint", point.fingerprint);
    visit("branch", point.branch);
    visit("commit", point.commit);
    visit("last_good", point.last_good);
    visit("level_before", point.before);
    visit("level_after", point.after);
    visit("ratio", point.ratio);
    visit("p", point.p);
    visit("verdict", self.verdict);
    visit("cause", point.cause);
    visit("taken_back_by", point.taken_back_by);
  }
};

constexpr const char* kRegression = "regression";

// Behind the row's values: whether it is gone, the event, its commit before and its commit now.
std::string insert_and_log() {
  const std::vector<std::string> columns = columns_of<ChangePointRow>();
  const auto place = [&columns](std::size_t behind) { return '$' + std::to_string(columns.size() + behind); };
  return "with changed as (insert into steelyard.change_points (" + name_list(columns) + ", gone_at) values (" +
         place_list(columns.size()) + ", case when " + place(1) + "::boolean then now() end)" + kReplace +
         "select change_point_key, " + place(2) + "::text, " + place(3) + "::text, " + place(4) + "::text, " + kLogged +
         " from changed";
}

// Each as its newest event has it. An older program's events do not say it all: such a point stays as it is.
constexpr const char* kRebuild = R"sql(
with newest as (
  select distinct on (change_point_key) * from steelyard.change_point_log
  order by change_point_key, change_point_log_key desc)
update steelyard.change_points c
set commit = n.at_commit, last_good = n.last_good, level_before = n.level_before, level_after = n.level_after,
    ratio = n.ratio, p = n.p, verdict = n.verdict, changed_at = n.happened_at, cause = coalesce(n.cause, 'commit'),
    gone_at = case when n.to_commit = '' then n.happened_at end, taken_back_by = n.taken_back_by
from newest n
where n.change_point_key = c.change_point_key and n.verdict is not null
  and (c.commit, c.last_good, c.level_before, c.level_after, c.ratio, c.p, c.verdict, c.changed_at, c.cause, c.gone_at,
       c.taken_back_by)
      is distinct from
      (n.at_commit, n.last_good, n.level_before, n.level_after, n.ratio, n.p, n.verdict, n.happened_at,
       coalesce(n.cause, 'commit'), case when n.to_commit = '' then n.happened_at end, n.taken_back_by)
)sql";

// `which`: a condition on c, and how many.
std::string points_statement(const std::string& which) {
  return "select c.change_point_key, c.gone_at is not null, " + selected<ChangePointRow>("c") +
         " from steelyard.change_points c where " + which;
}

KeptChangePoint point_at(const Rows& rows, std::int64_t row) {
  ChangePointRow read;
  read_fields(rows, row, 2, read);
  read.point.gone = rows.boolean(row, 1);
  read.point.regression = read.verdict == kRegression;
  return std::move(read.point);
}

// $1 project, $2 branch, $3 metric, $4 machine, $5 commit, $6 whether gone ones too, $7 the key before the first, $8
// how many.
constexpr const char* kListed =
    "($1::text = '' or c.project = $1::text) and ($2::text = '' or c.branch = $2::text) "
    "and ($3::text = '' or c.metric = $3::text) and starts_with(c.fingerprint, $4::text) "
    "and starts_with(c.commit, $5::text) "
    "and ($6::boolean or c.gone_at is null) and c.change_point_key > $7::bigint "
    "order by c.change_point_key limit $8::bigint";

}  // namespace

Result<std::vector<KeptChangePoint>> read_change_points(Session& session, const std::string& project,
                                                        const std::string& branch) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const Rows rows,
                transaction.run(points_statement("($1::text = '' or c.project = $1::text) and "
                                                 "($3::boolean or c.branch = $2) order by c.change_point_key"),
                                SqlValues().text(project).text(branch).boolean(branch == kAnyBranch)));
  std::vector<KeptChangePoint> points;
  for (std::int64_t row = 0; row < rows.size(); ++row) points.push_back(point_at(rows, row));
  return points;
}

Result<Page<KeptChangePoint>> read_change_point_list(Session& session, const ChangePointQuery& query) {
  constexpr std::string_view kKind = "changes";
  const ListQuery& list = query.list;
  std::int64_t before = 0;
  if (!list.after.empty()) {
    STEELYARD_TRY(const std::vector<std::string> place, read_cursor(kKind, 1, list.after));
    STEELYARD_TRY(before, number_of_cursor(place[0]));
  }
  const std::int64_t most = std::clamp(list.limit, 1, kMaxListed);
  SqlValues values;
  values.text(list.project).text(list.branch).text(query.metric).text(list.machine).text(list.commit);
  values.boolean(query.gone_too).integer(before).integer(most + 1);
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const Rows rows, transaction.run(points_statement(kListed), values, {0, most + 1}));
  Page<KeptChangePoint> page;
  for (std::int64_t row = 0; row < std::min(rows.size(), most); ++row) {
    page.items.push_back(point_at(rows, row));
    page.places.push_back(write_cursor(kKind, {rows.text(row, 0)}));
  }
  if (rows.size() > most) page.next = page.places.back();
  return page;
}

Result<std::int64_t> rebuild_change_points(Session& session) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const Rows changed, transaction.run(kRebuild));
  STEELYARD_CHECK(transaction.commit());
  return changed.affected();
}

Result<bool> write_change_points(Session& session, const std::vector<ChangePointEvent>& events) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  const std::string statement = insert_and_log();
  bool changed = false;
  for (const ChangePointEvent& event : events) {
    const KeptChangePoint& point = event.point;
    SqlValues values = append_fields({}, ChangePointRow{point, point.regression ? kRegression : "improvement"});
    values.boolean(point.gone).text(word_of(event.event)).text(event.from_commit).text(point.gone ? "" : point.commit);
    STEELYARD_TRY(const Rows logged, transaction.run(statement, values, kAtMostOneRow));
    changed = changed || logged.affected() > 0;
  }
  if (changed) STEELYARD_CHECK(refresh_alerts(transaction, events));
  STEELYARD_CHECK(transaction.commit());
  return changed;
}

}  // namespace steelyard::storage
