#include "storage/postgres/alerts/alert_acts.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "storage/model/alert.hpp"
#include "storage/postgres/access/audit_trail.hpp"
#include "storage/postgres/alerts/alert_rows.hpp"

namespace steelyard {
namespace {

constexpr std::size_t kShortestAlertPrefix = 6;

// $1 prefix of the id, $2 project, $3 branch, $4 benchmark or a part, $5 resolved too, $6 limit.
constexpr const char* kRead = R"sql(
select alert, project, branch, benchmark, metric, fingerprint, change_point, unit, comparison, commit, verdict, state,
       baseline, candidate, ratio, accepted_commit
from steelyard.alert_states
where starts_with(alert, $1::text)
  and ($2::text = '' or project = $2::text) and ($3::text = '' or branch = $3::text)
  and strpos(benchmark, $4::text) > 0
  and ($5::boolean or state <> 'resolved')
order by changed_at_unix_ns desc, alert
limit $6::bigint
)sql";

constexpr std::int64_t kMostAccepted = 200'000;

// $1 project or empty.
constexpr const char* kAccepted = R"sql(
select l.project, l.branch, l.benchmark, l.metric, s.fingerprint, s.change_point, l.unit, l.fingerprint, l.commit,
       l.level
from steelyard.accepted_levels l
join steelyard.alert_states s using (alert)
where s.state = 'accepted' and ($1::text = '' or l.project = $1::text)
order by l.accepted_level_key
)sql";

Alert alert_at(const Rows& rows, std::int64_t row) {
  Alert alert;
  alert.id = rows.text(row, 0);
  alert.subject = {rows.text(row, 1), rows.text(row, 2), rows.text(row, 3),
                   rows.text(row, 4), rows.text(row, 5), rows.text(row, 6)};
  alert.unit = rows.text(row, 7);
  alert.comparison = rows.text(row, 8);
  alert.commit = rows.text(row, 9);
  alert.verdict = rows.text(row, 10);
  alert.state = parse_alert_state(rows.raw(row, 11)).value_or(AlertState::open);
  if (!rows.is_null(row, 12)) alert.baseline = rows.number(row, 12);
  if (!rows.is_null(row, 13)) alert.candidate = rows.number(row, 13);
  if (!rows.is_null(row, 14)) alert.ratio = rows.number(row, 14);
  alert.accepted_commit = rows.text(row, 15);
  return alert;
}

Result<std::vector<Alert>> read_within(Transaction& transaction, const AlertQuery& query) {
  SqlValues values;
  values.text(query.id).text(query.project).text(query.branch).text(query.benchmark).boolean(query.resolved_too);
  STEELYARD_TRY(const Rows rows, transaction.run(kRead, values.integer(std::max(query.limit, 0))));
  std::vector<Alert> alerts;
  std::vector<std::string> ids;
  std::map<std::string, std::size_t> index;
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    alerts.push_back(alert_at(rows, row));
    ids.push_back(alerts.back().id);
    index[ids.back()] = alerts.size() - 1;
  }
  STEELYARD_TRY(const Rows steps,
                transaction.run("select alert, transition, at_unix_ns, changed_by, commit, note "
                                "from steelyard.alert_life where alert = any($1::text[]) order by alert, position",
                                SqlValues().texts(ids)));
  for (std::int64_t row = 0; row < steps.size(); ++row) {
    alerts[index.at(steps.text(row, 0))].life.push_back(
        {steps.text(row, 1), steps.integer(row, 2), steps.text(row, 3), steps.text(row, 4), steps.text(row, 5)});
  }
  return alerts;
}

Result<Alert> the_alert(Transaction& transaction, const std::string& id) {
  const std::string where = "alert:" + id;
  if (id.size() < kShortestAlertPrefix) {
    return input_error(where, std::to_string(id.size()) + " characters",
                       "at least " + std::to_string(kShortestAlertPrefix) + " of the alert's id");
  }
  AlertQuery query;
  query.id = id;
  query.resolved_too = true;
  query.limit = 2;
  STEELYARD_TRY(std::vector<Alert> alerts, read_within(transaction, query));
  if (alerts.empty()) return input_error(where, "no such alert", "", "`steelyard alerts --all` shows what there is");
  if (alerts.size() > 1) {
    return input_error(where, "several alerts, such as " + alerts[0].id + " and " + alerts[1].id, "one alert",
                       "write more of its id");
  }
  return std::move(alerts.front());
}

Result<void> write_act(Transaction& transaction, const AlertAct& act, const Alert& alert) {
  const std::string event(event_of(act.kind));
  SqlValues values;
  values.text(alert.id).text(event).text(act.who).text(act.note).text(act.commit).integer(act.at_unix_ns);
  STEELYARD_CHECK(
      transaction.run("insert into steelyard.alert_events (alert, event, who, note, commit, "
                      "happened_at_unix_ns) values ($1, $2, $3, $4, $5, $6)",
                      values, kOneRow));
  const AlertSubject& subject = alert.subject;
  if (act.kind == AlertAct::Kind::accept) {
    // Asked beforehand: a distributed store takes no question within an insert.
    STEELYARD_TRY(const Rows compared,
                  transaction.run("select candidate_fingerprint from steelyard.comparisons where id = $1",
                                  SqlValues().text(alert.comparison), kAtMostOneRow));
    const std::string fingerprint = compared.size() == 1 ? compared.text(0, 0) : subject.fingerprint;
    SqlValues level;
    level.text(alert.id).text(subject.project).text(subject.branch).text(subject.benchmark).text(subject.metric);
    level.text(alert.unit).text(fingerprint).text(act.commit).number(alert.candidate);
    level.number(alert.ratio).text(act.who).text(act.note).integer(act.at_unix_ns);
    STEELYARD_CHECK(transaction.run(
        "insert into steelyard.accepted_levels (alert, project, branch, benchmark, metric, unit, fingerprint, commit, "
        "level, ratio, who, note, accepted_at_unix_ns) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, "
        "$13)",
        level, kOneRow));
  }
  std::string detail = subject.benchmark + ' ' + subject.metric + " on " + subject.branch;
  if (!act.commit.empty()) detail += ", by commit " + act.commit;
  if (!act.note.empty()) detail += ": " + act.note;
  return write_audit(transaction, {act.who, "alert " + event, "alert:" + alert.id, detail});
}

}  // namespace

Result<std::vector<Alert>> read_alerts(Session& session, const AlertQuery& query) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  return read_within(transaction, query);
}

Result<std::vector<AcceptedAlert>> read_accepted_alerts(Session& session, const std::string& project) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const Rows rows, transaction.run(kAccepted, SqlValues().text(project), {0, kMostAccepted}));
  std::vector<AcceptedAlert> all;
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    all.push_back({{rows.text(row, 0), rows.text(row, 1), rows.text(row, 2), rows.text(row, 3), rows.text(row, 4),
                    rows.text(row, 5)},
                   rows.text(row, 6),
                   rows.text(row, 7),
                   rows.text(row, 8),
                   rows.is_null(row, 9) ? std::nullopt : std::optional(rows.number(row, 9))});
  }
  return all;
}

Result<Alert> act_on_alert(Session& session, const AlertAct& act) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const Alert known, the_alert(transaction, act.alert));
  STEELYARD_CHECK(lock_alerts(transaction, known.subject.project, known.subject.branch));
  // Again under the lock: somebody may have been faster.
  STEELYARD_TRY(const Alert before, the_alert(transaction, known.id));
  AlertAct done = act;
  // Said after what it is about, whatever the clocks say.
  done.at_unix_ns = std::max(act.at_unix_ns, before.life.back().at_unix_ns);
  const AlertTransition& last = before.life.back();
  // The answer to our first try got lost, which was said at act.at_unix_ns or, by a clock that is behind, later.
  if (last.by == act.who && last.transition == event_of(act.kind) && last.at_unix_ns == done.at_unix_ns &&
      last.commit == act.commit && last.note == act.note) {
    return before;
  }
  if (const std::string why = refusal(act.kind, before.state); !why.empty()) {
    return input_error("alert:" + before.id, why, "an alert that can be " + std::string(event_of(act.kind)));
  }
  STEELYARD_CHECK(write_act(transaction, done, before));
  STEELYARD_CHECK(derive_alerts(transaction, {before.subject}));
  STEELYARD_TRY(Alert after, the_alert(transaction, before.id));
  STEELYARD_CHECK(transaction.commit());
  return after;
}

}  // namespace steelyard
