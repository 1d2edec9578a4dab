#include "storage/postgres/alerts/alert_rows.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "bench/model/calibration.hpp"
#include "storage/model/alert.hpp"
#include "storage/postgres/access/roles.hpp"
#include "storage/postgres/session/sql_fields.hpp"

namespace steelyard::storage {
namespace {

// Of each alert at most so many of the newest comparisons are looked at.
constexpr std::int64_t kMaxComparisonsOfAlert = 1000;

// Rules by which a calibrated floor of any size, from any number of gates, was the margin. What they called unchanged
// only because of a floor that would no longer be taken is no reason to call a regression gone, and such a margin is
// not what a regression that was accepted may grow by.
constexpr std::array kWideningRules{"1", "rounds-1", "rounds-2", "history-1", "history-2"};

// $1 project, $2 branch, $3 and $4 benchmarks and metrics, $5 the most of each, $6 kWideningRules, $7 and $8 what a
// floor is taken by (bench/model/calibration.hpp). The branch's comparisons first: what others keep of the same
// benchmarks costs nothing then. Numbered and not limited one by one: a distributed store cannot do that.
constexpr const char* kOfComparisons = R"sql(
with c as materialized (
  select a.comparison_key, a.compared_at_unix_ns, a.id, a.baseline_commit, a.baseline_run, a.candidate_commit,
         a.candidate_run, a.candidate_fingerprint, k.gates,
         case when a.rule_version = any($6::text[]) and k.gates is not null then a.margin end as policy_margin
  from steelyard.comparisons a
  left join steelyard.calibrations k on k.calibration_key = a.calibration_key
  where hashtextextended(a.project, 0) = hashtextextended($1::text, 0) and a.project = $1::text
    and hashtextextended(a.branch, 0) = hashtextextended($2::text, 0) and a.branch = $2::text)
select number, compared_at_unix_ns, id,
       case when is_widened and verdict = 'unchanged' then 'inconclusive' else verdict end,
       coalesce(nullif(baseline_commit, ''), baseline_run),
       coalesce(nullif(candidate_commit, ''), candidate_run),
       candidate_commit, candidate_fingerprint, unit, baseline, candidate, ratio,
       case when is_widened then policy_margin else margin end, better = 'higher', is_creep
from (
  select s.number, c.compared_at_unix_ns, c.id, x.verdict, c.baseline_commit, c.baseline_run, c.candidate_commit,
         c.candidate_run, c.candidate_fingerprint, c.policy_margin, m.unit,
         coalesce(k.accepted, x.baseline) as baseline, x.candidate,
         coalesce(k.level / nullif(k.accepted, 0), x.ratio) as ratio, x.margin, m.better,
         k.comparison_key is not null as is_creep,
         coalesce(x.margin > c.policy_margin and (x.margin > $7::float8 or c.gates < $8::bigint), false) as is_widened,
         row_number() over (partition by s.number order by c.compared_at_unix_ns desc, c.id desc) as age
  from unnest($3::text[], $4::text[]) with ordinality as s(benchmark, metric, number)
  cross join c
  join steelyard.comparison_rows x
    on x.comparison_key = c.comparison_key
       and hashtextextended(x.benchmark, 0) = hashtextextended(s.benchmark collate "C", 0)
       and x.benchmark = s.benchmark collate "C"
  join steelyard.metrics m on m.metric_key = x.metric_key and m.name = s.metric
  left join steelyard.comparison_creeps k
    on k.comparison_key = x.comparison_key and k.row_position = x.position and k.beyond
  where x.gates) f
where age <= $5::bigint
order by number, age
)sql";

// $1 to $6: the fields of the subjects.
constexpr const char* kOfChangePoints = R"sql(
select s.number, (extract(epoch from l.happened_at) * 1000000)::bigint * 1000, l.change_point_log_key, l.event,
       l.to_commit, p.fingerprint, p.level_before, p.level_after, p.ratio, coalesce(l.cause = 'machine', false)
from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
  with ordinality as s(project, branch, benchmark, metric, fingerprint, id, number)
join steelyard.change_points p
  on p.project = s.project and p.branch = s.branch and p.benchmark = s.benchmark and p.metric = s.metric
     and p.fingerprint = s.fingerprint and p.id = s.id
join steelyard.change_point_log l using (change_point_key)
where p.verdict = 'regression'
)sql";

constexpr const char* kWords =
    "select alert, alert_event_key, event, who, note, commit, happened_at_unix_ns from steelyard.alert_events "
    "where alert = any($1::text[])";

// So that the order of texts is that of keys.
std::string padded(std::int64_t key) {
  constexpr std::size_t kDigits = 19;
  const std::string text = std::to_string(key);
  return std::string(kDigits - text.size(), '0') + text;
}

AlertFact fact_of_comparison(const Rows& rows, std::int64_t row) {
  AlertFact fact;
  read_in_order(rows, row, 1, fact.at_unix_ns, fact.id, fact.what, fact.baseline_side, fact.candidate_side, fact.commit,
                fact.fingerprint, fact.unit, fact.baseline, fact.candidate, fact.ratio, fact.margin,
                fact.higher_is_better, fact.is_creep);
  return fact;
}

AlertFact fact_of_change_point(const Rows& rows, std::int64_t row) {
  AlertFact fact;
  fact.kind = AlertFact::Kind::change_point;
  std::int64_t key = 0;
  read_in_order(rows, row, 1, fact.at_unix_ns, key, fact.what, fact.commit, fact.fingerprint, fact.baseline,
                fact.candidate, fact.ratio, fact.of_machine);
  fact.id = padded(key);
  return fact;
}

template <class Read>
FactsById by_subject(const Rows& rows, const std::vector<AlertSubject>& subjects, Read read) {
  FactsById facts;
  for (const AlertSubject& subject : subjects) facts[alert_id(subject)];
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    const auto number = static_cast<std::size_t>(rows.integer(row, 0));
    facts[alert_id(subjects[number - 1])].push_back(read(rows, row));
  }
  return facts;
}

Result<FactsById> facts_of_change_points(Transaction& transaction, const std::vector<AlertSubject>& subjects) {
  if (subjects.empty()) return FactsById();
  SqlValues values;
  for (const auto field : {&AlertSubject::project, &AlertSubject::branch, &AlertSubject::benchmark,
                           &AlertSubject::metric, &AlertSubject::fingerprint, &AlertSubject::change_point}) {
    std::vector<std::string> column;
    for (const AlertSubject& subject : subjects) column.push_back(subject.*field);
    values.texts(column);
  }
  STEELYARD_TRY(const Rows rows, transaction.run(kOfChangePoints, values));
  return by_subject(rows, subjects, fact_of_change_point);
}

// What people said, added to the facts of each alert.
Result<void> add_words(Transaction& transaction, FactsById& facts) {
  std::vector<std::string> ids;
  for (const auto& [id, known] : facts) ids.push_back(id);
  STEELYARD_TRY(const Rows rows, transaction.run(kWords, SqlValues().texts(ids)));
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    AlertFact fact;
    fact.kind = AlertFact::Kind::person;
    std::int64_t key = 0;
    read_in_order(rows, row, 1, key, fact.what, fact.who, fact.note, fact.commit, fact.at_unix_ns);
    fact.id = padded(key);
    facts[rows.text(row, 0)].push_back(std::move(fact));
  }
  return {};
}

// Subjects whose facts are in memory together.
constexpr std::size_t kSubjectsAtOnce = 200;
// Until the transaction ends. Readers do not wait; nor do writers of runs.
constexpr const char* kLock = "select pg_advisory_xact_lock(hashtextextended('steelyard.alerts ' || $1, 0))";

bool is_worse(Verdict verdict) {
  return verdict == Verdict::regression || verdict == Verdict::failed || verdict == Verdict::missing;
}

// The columns of steelyard.alert_states, for who writes them and who reads them alike.
struct AlertRow {
  Alert alert;
  std::string source{};
  std::string state{};
  std::int64_t opened_at_unix_ns = 0;
  AlertTransition last{};

  static void fields(auto& visit, auto& self) {
    auto& alert = self.alert;
    visit("alert", alert.id);
    visit("source", self.source);
    visit("project", alert.subject.project);
    visit("branch", alert.subject.branch);
    visit("benchmark", alert.subject.benchmark);
    visit("metric", alert.subject.metric);
    visit("unit", alert.unit);
    visit("fingerprint", alert.subject.fingerprint);
    visit("change_point", alert.subject.change_point);
    visit("comparison", alert.comparison);
    visit("commit", alert.commit);
    visit("verdict", alert.verdict);
    visit("state", self.state);
    visit("baseline", alert.baseline);
    visit("candidate", alert.candidate);
    visit("ratio", alert.ratio);
    visit("opened_at_unix_ns", self.opened_at_unix_ns);
    visit("changed_at_unix_ns", self.last.at_unix_ns);
    visit("changed_by", self.last.by);
    visit("accepted_commit", alert.accepted_commit);
    visit("note", self.last.note);
  }
};

SqlValues state_values(const Alert& alert) {
  const char* const source = alert.subject.change_point.empty() ? "comparison" : "change point";
  const std::string state(to_text(alert.state));
  return append_fields({}, AlertRow{alert, source, state, alert.life.front().at_unix_ns, alert.life.back()});
}

Result<void> write_states(Transaction& transaction, const std::vector<Alert>& alerts) {
  std::vector<std::pair<const Alert*, std::size_t>> steps;
  for (const Alert& alert : alerts) {
    for (std::size_t i = 0; i < alert.life.size(); ++i) steps.emplace_back(&alert, i);
  }
  STEELYARD_CHECK(transaction.copy({"steelyard.alert_states", columns_of<AlertRow>()}, alerts.size(),
                                   [&](std::size_t i) { return state_values(alerts[i]); }));
  return transaction.copy(
      {"steelyard.alert_life", {"alert", "position", "transition", "at_unix_ns", "changed_by", "commit", "note"}},
      steps.size(), [&](std::size_t i) {
        const auto [alert, position] = steps[i];
        const AlertTransition& step = alert->life[position];
        SqlValues values;
        values.text(alert->id).integer(static_cast<std::int64_t>(position)).text(step.transition);
        return values.integer(step.at_unix_ns).text(step.by).text(step.commit).text(step.note);
      });
}

using Name = std::pair<std::string, std::string>;  // benchmark, metric

// Of the branch: alerts that a comparison of that time may change though it shows nothing worse.
Result<std::set<Name>> unsettled(Transaction& transaction, const RunHeader& candidate, const std::string& branch) {
  STEELYARD_TRY(
      const Rows rows,
      transaction.run("select benchmark, metric from steelyard.alert_states where project = $1 "
                      "and branch = $2 and source = 'comparison' "
                      "and (state <> 'resolved' or changed_at_unix_ns >= $3)",
                      SqlValues().text(candidate.project).text(branch).integer(candidate.created_at_unix_ns)));
  std::set<Name> names;
  for (std::int64_t row = 0; row < rows.size(); ++row) names.emplace(rows.text(row, 0), rows.text(row, 1));
  return names;
}

std::vector<AlertSubject> subjects_of(const std::set<Name>& names, const std::string& project,
                                      const std::string& branch) {
  std::vector<AlertSubject> subjects;
  for (const auto& [benchmark, metric] : names) subjects.push_back({project, branch, benchmark, metric});
  return subjects;
}

using Branch = std::pair<std::string, std::string>;  // project, branch

}  // namespace

Result<FactsById> facts_of_comparisons(Transaction& transaction, const std::vector<AlertSubject>& subjects) {
  if (subjects.empty()) return FactsById();
  std::vector<std::string> benchmarks;
  std::vector<std::string> metrics;
  for (const AlertSubject& subject : subjects) {
    benchmarks.push_back(subject.benchmark);
    metrics.push_back(subject.metric);
  }
  STEELYARD_TRY(const Rows rows,
                transaction.run(kOfComparisons, SqlValues()
                                                    .text(subjects.front().project)
                                                    .text(subjects.front().branch)
                                                    .texts(benchmarks)
                                                    .texts(metrics)
                                                    .integer(kMaxComparisonsOfAlert)
                                                    .texts({kWideningRules.begin(), kWideningRules.end()})
                                                    .number(kMaxCalibratedMargin)
                                                    .integer(kMinCalibrationGates)));
  return by_subject(rows, subjects, fact_of_comparison);
}

Result<void> lock_alerts(Transaction& transaction, const std::string& project, const std::string& branch) {
  STEELYARD_CHECK(transaction.run(kLock, SqlValues().text(std::to_string(project.size()) + ':' + project + branch)));
  return {};
}

Result<std::int64_t> derive_alerts(Transaction& transaction, const std::vector<AlertSubject>& subjects) {
  std::int64_t count = 0;
  for (std::size_t begin = 0; begin < subjects.size(); begin += kSubjectsAtOnce) {
    const auto first = subjects.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto size = std::min(kSubjectsAtOnce, subjects.size() - begin);
    const std::vector<AlertSubject> some(first, first + static_cast<std::ptrdiff_t>(size));
    const auto read = some.front().change_point.empty() ? facts_of_comparisons : facts_of_change_points;
    STEELYARD_TRY(FactsById facts, read(transaction, some));
    STEELYARD_CHECK(add_words(transaction, facts));
    std::vector<std::string> ids;
    std::vector<Alert> alerts;
    for (const AlertSubject& subject : some) {
      ids.push_back(alert_id(subject));
      std::optional<Alert> alert = alert_of(subject, std::move(facts[ids.back()]));
      if (alert) alerts.push_back(std::move(*alert));
    }
    // Whether a writer of some projects may see a life is told by its state.
    for (const char* table : {"alert_life", "alert_states"}) {
      STEELYARD_CHECK(transaction.run(std::string("delete from steelyard.") + table + " where alert = any($1::text[])",
                                      SqlValues().texts(ids)));
    }
    STEELYARD_CHECK(write_states(transaction, alerts));
    count += static_cast<std::int64_t>(alerts.size());
  }
  return count;
}

Result<void> refresh_alerts(Transaction& transaction, const Comparison& comparison, const std::string& branch) {
  const RunHeader& candidate = comparison.candidate;
  STEELYARD_CHECK(lock_alerts(transaction, candidate.project, branch));
  STEELYARD_TRY(const std::set<Name> known, unsettled(transaction, candidate, branch));
  std::set<Name> names;
  for (const ComparisonRow& row : comparison.rows) {
    const Name name{row.benchmark, row.metric.name};
    if (row.gates && (is_worse(row.verdict) || known.count(name) != 0)) names.insert(name);
  }
  STEELYARD_CHECK(derive_alerts(transaction, subjects_of(names, candidate.project, branch)));
  return {};
}

Result<void> refresh_alerts(Transaction& transaction, const std::vector<ChangePointEvent>& events) {
  std::map<Branch, std::vector<AlertSubject>> by_branch;
  for (const ChangePointEvent& event : events) {
    const KeptChangePoint& point = event.point;
    by_branch[{point.project, point.branch}].push_back(
        {point.project, point.branch, point.benchmark, point.metric, point.fingerprint, point.id});
  }
  for (const auto& [branch, subjects] : by_branch) {
    STEELYARD_CHECK(lock_alerts(transaction, branch.first, branch.second));
    STEELYARD_CHECK(derive_alerts(transaction, subjects));
  }
  return {};
}

Result<std::int64_t> rebuild_alerts(Transaction& transaction) {
  // Everybody else's derivation waits until this one is committed.
  STEELYARD_CHECK(
      transaction.run("lock table steelyard.alert_states, steelyard.alert_life in share row exclusive mode"));
  STEELYARD_CHECK(transaction.run("delete from steelyard.alert_life"));
  STEELYARD_CHECK(transaction.run("delete from steelyard.alert_states"));
  STEELYARD_TRY(const Rows rows,
                transaction.run("select distinct c.project, c.branch, x.benchmark, m.name "
                                "from steelyard.comparison_rows x join steelyard.comparisons c using (comparison_key) "
                                "join steelyard.metrics m using (metric_key) "
                                "where x.gates and x.verdict in ('regression', 'failed', 'missing')"));
  std::map<Branch, std::set<Name>> names;
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    names[{rows.text(row, 0), rows.text(row, 1)}].emplace(rows.text(row, 2), rows.text(row, 3));
  }
  std::int64_t count = 0;
  for (const auto& [branch, of_branch] : names) {
    STEELYARD_TRY(const std::int64_t more,
                  derive_alerts(transaction, subjects_of(of_branch, branch.first, branch.second)));
    count += more;
  }
  STEELYARD_TRY(const Rows points, transaction.run("select project, branch, benchmark, metric, fingerprint, id "
                                                   "from steelyard.change_points where verdict = 'regression'"));
  std::vector<AlertSubject> subjects;
  for (std::int64_t row = 0; row < points.size(); ++row) {
    subjects.push_back({points.text(row, 0), points.text(row, 1), points.text(row, 2), points.text(row, 3),
                        points.text(row, 4), points.text(row, 5)});
  }
  STEELYARD_TRY(const std::int64_t more, derive_alerts(transaction, subjects));
  return count + more;
}

namespace {

constexpr std::size_t kShortestAlertPrefix = 6;

// $1 prefix of the id, $2 project, $3 branch, $4 benchmark or a part, $5 resolved too, $6 limit.
constexpr const char* kChosen = R"sql(
from steelyard.alert_states a
where starts_with(alert, $1::text)
  and ($2::text = '' or project = $2::text) and ($3::text = '' or branch = $3::text)
  and strpos(benchmark, $4::text) > 0
  and ($5::boolean or state <> 'resolved')
order by changed_at_unix_ns desc, alert
limit $6::bigint
)sql";

// $1 alerts. The newest of each: who holds them, or did.
constexpr const char* kAssigned =
    "select distinct on (alert) alert, assignee, who, assigned_at_unix_ns, note from steelyard.alert_assignments "
    "where alert = any($1::text[]) order by alert, alert_assignment_key desc";

constexpr std::int64_t kMaxAccepted = 200'000;

// $1 project or empty, $2 only what stands. An acceptance that is over ends what was accepted of the alert before it,
// too, as reopening does, whether somebody has come by to do that or not.
constexpr const char* kAccepted = R"sql(
select l.project, l.branch, l.benchmark, l.metric, s.fingerprint, s.change_point, l.unit, l.fingerprint, l.commit,
       l.level, l.accepted_at_unix_ns
from steelyard.accepted_levels l
join steelyard.alert_states s using (alert)
left join (select alert, max(happened_at_unix_ns) as at_unix_ns from steelyard.alert_events
           where event = 'reopened' group by alert) taken_back using (alert)
left join (select alert, max(accepted_level_key) as key from steelyard.accepted_levels
           where until_day <> '' and until_day < to_char(now() at time zone 'UTC', 'YYYY-MM-DD')
           group by alert) over_now using (alert)
where ($1::text = '' or l.project = $1::text)
  and l.accepted_level_key > coalesce(over_now.key, 0)
  and case when $2::boolean then s.state = 'accepted'
      else coalesce(taken_back.at_unix_ns < l.accepted_at_unix_ns, true) end
order by l.accepted_level_key
)sql";

Alert alert_at(const Rows& rows, std::int64_t row) {
  AlertRow read;
  read_fields(rows, row, 0, read);
  read.alert.state = parse_alert_state(read.state).value_or(AlertState::open);
  return std::move(read.alert);
}

// By alert; of one that somebody took back `to` is empty.
Result<std::map<std::string, AlertAssignment>> assignments_of(Transaction& transaction,
                                                              const std::vector<std::string>& alerts) {
  STEELYARD_TRY(const Rows rows, transaction.run(kAssigned, SqlValues().texts(alerts)));
  std::map<std::string, AlertAssignment> assignments;
  for (std::int64_t row = 0; row < rows.size(); ++row) read_fields(rows, row, 1, assignments[rows.text(row, 0)]);
  return assignments;
}

Result<std::vector<Alert>> read_within(Transaction& transaction, const AlertQuery& query) {
  SqlValues values;
  values.text(query.id).text(query.project).text(query.branch).text(query.benchmark).boolean(query.resolved_too);
  STEELYARD_TRY(const Rows rows, transaction.run("select " + selected<AlertRow>("a") + kChosen,
                                                 values.integer(std::max(query.limit, 0))));
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
  STEELYARD_TRY(const auto days, accepted_until(transaction, ids));
  for (const auto& [alert, day] : days) alerts[index.at(alert)].accepted_until = day;
  STEELYARD_TRY(const auto assignments, assignments_of(transaction, ids));
  for (const auto& [alert, assignment] : assignments) {
    if (!assignment.to.empty()) alerts[index.at(alert)].assignment = assignment;
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

std::string told_subject(const AlertSubject& subject) {
  return subject.benchmark + ' ' + subject.metric + " on " + subject.branch;
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
    level.number(alert.ratio).text(act.who).text(act.note).integer(act.at_unix_ns).text(act.until);
    STEELYARD_CHECK(transaction.run(
        "insert into steelyard.accepted_levels (alert, project, branch, benchmark, metric, unit, fingerprint, commit, "
        "level, ratio, who, note, accepted_at_unix_ns, until_day) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, "
        "$11, $12, $13, $14)",
        level, kOneRow));
  }
  std::string detail = told_subject(subject);
  if (!act.commit.empty()) detail += ", by commit " + act.commit;
  if (!act.note.empty()) detail += ": " + act.note;
  return write_audit(transaction, {act.who, "alert " + event, "alert:" + alert.id, detail});
}

// Under the lock of its branch. Error (input): it is assigned so already, or too long a name.
Result<void> assign(Transaction& transaction, const AlertAct& act, const Alert& alert) {
  const std::string& to = act.assignee;
  if (to.size() > kMaxAssigneeBytes) {
    return input_error("assignee", std::to_string(to.size()) + " bytes",
                       "at most " + std::to_string(kMaxAssigneeBytes));
  }
  STEELYARD_TRY(auto assignments, assignments_of(transaction, {alert.id}));
  const AlertAssignment& last = assignments[alert.id];
  const AlertAssignment wanted{to, act.who, std::max(act.at_unix_ns, last.at_unix_ns), act.note};
  // The answer to our first try got lost.
  if (last == wanted) return {};
  if (last.to == to) {
    return input_error("alert:" + alert.id, to.empty() ? "it is assigned to nobody" : "it is assigned to them already",
                       to.empty() ? "an alert that is assigned" : "another person");
  }
  SqlValues values;
  values.text(alert.id).text(to).text(wanted.by).text(wanted.note).integer(wanted.at_unix_ns);
  STEELYARD_CHECK(
      transaction.run("insert into steelyard.alert_assignments (alert, assignee, who, note, "
                      "assigned_at_unix_ns) values ($1, $2, $3, $4, $5)",
                      values, kOneRow));
  std::string detail = told_subject(alert.subject) + (to.empty() ? ", from " + last.to : ", to " + to);
  if (!act.note.empty()) detail += ": " + act.note;
  return write_audit(transaction, {act.who, to.empty() ? "alert unassigned" : "alert assigned", "alert:" + alert.id,
                                   std::move(detail)});
}

}  // namespace

Result<std::map<std::string, std::string>> accepted_until(Transaction& transaction,
                                                          const std::vector<std::string>& alerts) {
  STEELYARD_TRY(const Rows rows,
                transaction.run("select distinct on (alert) alert, until_day from steelyard.accepted_levels "
                                "where alert = any($1::text[]) order by alert, accepted_level_key desc",
                                SqlValues().texts(alerts)));
  std::map<std::string, std::string> days;
  for (std::int64_t row = 0; row < rows.size(); ++row) days.emplace(rows.text(row, 0), rows.text(row, 1));
  return days;
}

Result<std::vector<Alert>> read_alerts(Session& session, const AlertQuery& query) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  return read_within(transaction, query);
}

Result<std::vector<AcceptedAlert>> read_accepted_alerts(Session& session, const AcceptedQuery& query) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(
      const Rows rows,
      transaction.run(kAccepted, SqlValues().text(query.project).boolean(query.only_standing), {0, kMaxAccepted}));
  std::vector<AcceptedAlert> all;
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    AcceptedAlert& one = all.emplace_back();
    AlertSubject& subject = one.subject;
    read_in_order(rows, row, 0, subject.project, subject.branch, subject.benchmark, subject.metric, subject.fingerprint,
                  subject.change_point, one.unit, one.fingerprint, one.commit, one.level, one.at_unix_ns);
  }
  return all;
}

Result<Alert> act_on_alert(Session& session, const AlertAct& act) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(Alert after, act_within(transaction, act));
  STEELYARD_CHECK(transaction.commit());
  return after;
}

Result<Alert> act_within(Transaction& transaction, const AlertAct& act) {
  STEELYARD_TRY(const Alert known, the_alert(transaction, act.alert));
  STEELYARD_CHECK(lock_alerts(transaction, known.subject.project, known.subject.branch));
  // Again under the lock: somebody may have been faster.
  STEELYARD_TRY(const Alert before, the_alert(transaction, known.id));
  if (act.kind == AlertAct::Kind::assign) {
    STEELYARD_CHECK(assign(transaction, act, before));
    return the_alert(transaction, before.id);
  }
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
  return the_alert(transaction, before.id);
}

}  // namespace steelyard::storage
