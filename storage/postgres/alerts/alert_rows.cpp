#include "storage/postgres/alerts/alert_rows.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "storage/model/alert.hpp"
#include "storage/model/catalog.hpp"
#include "storage/postgres/access/roles.hpp"
#include "storage/postgres/alerts/alert_facts.hpp"
#include "storage/postgres/alerts/alert_names.hpp"
#include "storage/postgres/session/cursor.hpp"
#include "storage/postgres/session/sql_fields.hpp"

namespace steelyard::storage {
namespace {

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
    visit("other_names", alert.other_names);
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

// Of the branch: alerts that a comparison of that time may change though it shows nothing worse.
Result<std::set<AlertName>> unsettled(Transaction& transaction, const RunHeader& candidate, const std::string& branch,
                                      const NamesOnBranch& benchmarks) {
  STEELYARD_TRY(
      const Rows rows,
      transaction.run("select benchmark, metric from steelyard.alert_states where project = $1 "
                      "and branch = $2 and source = 'comparison' "
                      "and (state <> 'resolved' or changed_at_unix_ns >= $3)",
                      SqlValues().text(candidate.project).text(branch).integer(candidate.created_at_unix_ns)));
  std::set<AlertName> names;
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    names.emplace(benchmarks.one_for(rows.text(row, 0)), rows.text(row, 1));
  }
  return names;
}

std::vector<AlertSubject> subjects_of(const std::set<AlertName>& names, const std::string& project,
                                      const std::string& branch) {
  std::vector<AlertSubject> subjects;
  for (const auto& [benchmark, metric] : names) subjects.push_back({project, branch, benchmark, metric});
  return subjects;
}

using Branch = std::pair<std::string, std::string>;  // project, branch

// The subject of an alert once by each name of its benchmark.
std::vector<AlertSubject> by_each_name(const AlertSubject& subject, const NamesOnBranch& benchmarks) {
  std::vector<AlertSubject> subjects;
  for (std::string& name : benchmarks.of(subject.benchmark)) {
    subjects.push_back(subject);
    subjects.back().benchmark = std::move(name);
  }
  return subjects;
}

// Of one subject by all of its names. Absent: nothing of it opens one.
std::optional<Alert> alert_by_names(const std::vector<AlertSubject>& names, FactsById& facts) {
  std::vector<AlertFact> all;
  for (const AlertSubject& name : names) {
    for (AlertFact& fact : facts[alert_id(name)]) {
      if (names.size() > 1) fact.benchmark = name.benchmark;
      all.push_back(std::move(fact));
    }
  }
  std::optional<Alert> alert = alert_of(names.front(), std::move(all));
  if (!alert) return alert;
  for (const AlertSubject& name : names) {
    if (name.benchmark != alert->subject.benchmark) alert->other_names.push_back(name.benchmark);
  }
  return alert;
}

// All of one project and branch and of one source; of comparisons each benchmark by one of its names.
Result<std::int64_t> derive(Transaction& transaction, const std::vector<AlertSubject>& subjects,
                            const NamesOnBranch& benchmarks) {
  std::int64_t count = 0;
  for (std::size_t begin = 0; begin < subjects.size(); begin += kSubjectsAtOnce) {
    const std::size_t end = std::min(begin + kSubjectsAtOnce, subjects.size());
    std::vector<std::vector<AlertSubject>> some;
    std::vector<AlertSubject> asked;
    for (std::size_t i = begin; i < end; ++i) {
      some.push_back(by_each_name(subjects[i], benchmarks));
      asked.insert(asked.end(), some.back().begin(), some.back().end());
    }
    const auto read = asked.front().change_point.empty() ? facts_of_comparisons : facts_of_change_points;
    STEELYARD_TRY(FactsById facts, read(transaction, asked));
    STEELYARD_CHECK(add_words(transaction, facts));
    std::vector<std::string> ids;
    for (const AlertSubject& subject : asked) ids.push_back(alert_id(subject));
    std::vector<Alert> alerts;
    for (const std::vector<AlertSubject>& names : some) {
      if (std::optional<Alert> alert = alert_by_names(names, facts)) alerts.push_back(std::move(*alert));
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

}  // namespace

Result<void> lock_alerts(Transaction& transaction, const std::string& project, const std::string& branch) {
  STEELYARD_CHECK(transaction.run(kLock, SqlValues().text(std::to_string(project.size()) + ':' + project + branch)));
  return {};
}

Result<std::int64_t> derive_alerts(Transaction& transaction, const std::vector<AlertSubject>& subjects) {
  if (subjects.empty() || !subjects.front().change_point.empty()) return derive(transaction, subjects, {});
  const AlertSubject& any = subjects.front();
  STEELYARD_TRY(const NamesOnBranch benchmarks, NamesOnBranch::read(transaction, any.project, any.branch));
  std::set<AlertName> names;
  for (const AlertSubject& subject : subjects) names.emplace(benchmarks.one_for(subject.benchmark), subject.metric);
  return derive(transaction, subjects_of(names, any.project, any.branch), benchmarks);
}

Result<void> refresh_alerts(Transaction& transaction, const Comparison& comparison, const std::string& branch) {
  const RunHeader& candidate = comparison.candidate;
  if (is_of_files(comparison.baseline, candidate)) return {};
  STEELYARD_CHECK(lock_alerts(transaction, candidate.project, branch));
  STEELYARD_TRY(const NamesOnBranch benchmarks, NamesOnBranch::read(transaction, candidate.project, branch));
  STEELYARD_TRY(const std::set<AlertName> known, unsettled(transaction, candidate, branch, benchmarks));
  std::set<std::string> renamed;
  for (const auto& [earlier, today] : comparison.earlier_names) renamed.insert(today);
  STEELYARD_TRY(std::set<AlertName> names, to_be_renamed(transaction, candidate.project, branch, renamed, benchmarks));
  for (const ComparisonRow& row : comparison.rows) {
    const AlertName name{benchmarks.one_for(row.benchmark), row.metric.name};
    if (row.gates && (is_worse(row.verdict) || known.count(name) != 0)) names.insert(name);
  }
  STEELYARD_CHECK(derive(transaction, subjects_of(names, candidate.project, branch), benchmarks));
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
  std::map<Branch, std::set<AlertName>> names;
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
  for (std::int64_t row = 0; row < points.size(); ++row) read_fields(points, row, 0, subjects.emplace_back());
  STEELYARD_TRY(const std::int64_t more, derive_alerts(transaction, subjects));
  return count + more;
}

namespace {

constexpr std::size_t kShortestAlertPrefix = 6;

// $1 prefix of the id, $2 project, $3 branch, $4 benchmark or a part, $5 resolved too, $6 limit, $7 benchmarks, $8 the
// commit that opened it, $9 state, $10 and $11 the place before the first.
constexpr const char* kChosen = R"sql(
from steelyard.alert_states a
where starts_with(alert, $1::text)
  and ($2::text = '' or project = $2::text) and ($3::text = '' or branch = $3::text)
  and (strpos(benchmark, $4::text) > 0 or benchmark = any($7::text[])
       or exists (select from unnest(other_names) as o(name) where strpos(o.name, $4::text) > 0))
  and ($5::boolean or state <> 'resolved')
  and ($8::text = '' or commit = $8::text) and ($9::text = '' or state = $9::text)
  and (changed_at_unix_ns < $10::bigint or (changed_at_unix_ns = $10::bigint and alert > $11::text))
order by changed_at_unix_ns desc, alert
limit $6::bigint
)sql";

// $1 alerts. The newest of each: who holds them, or did.
constexpr const char* kAssigned =
    "select distinct on (alert) alert, assignee, who, assigned_at_unix_ns, note from steelyard.alert_assignments "
    "where alert = any($1::text[]) order by alert, alert_assignment_key desc";

constexpr std::string_view kAlertList = "alerts";  // of its cursors
constexpr std::int64_t kMaxAccepted = 200'000;

// $1 project or empty, $2 only what stands. An acceptance that is over ends what was accepted of the alert before it,
// too, as reopening does, whether somebody has come by to do that or not.
constexpr const char* kAccepted = R"sql(
select l.project, l.branch, l.benchmark, l.metric, s.fingerprint, s.change_point, l.unit, l.fingerprint, l.commit,
       l.level, l.accepted_at_unix_ns, s.comparison
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

// $1 comparisons of requests. The baseline's branch is the one that the job was told, unless it is the checkout's own.
constexpr const char* kMergedInto = R"sql(
select c.id, b.branch
from steelyard.comparisons c
join steelyard.comparison_sides b on b.comparison_key = c.comparison_key and b.side = 'baseline'
join steelyard.comparison_sides d on d.comparison_key = c.comparison_key and d.side = 'candidate'
where c.id = any($1::text[]) and b.branch <> d.branch
)sql";

AlertRow alert_at(const Rows& rows, std::int64_t row) {
  AlertRow read;
  read_fields(rows, row, 0, read);
  read.alert.state = parse_alert_state(read.state).value_or(AlertState::open);
  return read;
}

// By alert; of one that somebody took back `to` is empty.
Result<std::map<std::string, AlertAssignment>> assignments_of(Transaction& transaction,
                                                              const std::vector<std::string>& alerts) {
  STEELYARD_TRY(const Rows rows, transaction.run(kAssigned, SqlValues().texts(alerts)));
  std::map<std::string, AlertAssignment> assignments;
  for (std::int64_t row = 0; row < rows.size(); ++row) read_fields(rows, row, 1, assignments[rows.text(row, 0)]);
  return assignments;
}

Result<Page<Alert>> read_within(Transaction& transaction, const AlertQuery& query) {
  std::int64_t before = std::numeric_limits<std::int64_t>::max();
  std::string after;
  if (!query.after.empty()) {
    STEELYARD_TRY(const std::vector<std::string> place, read_cursor(kAlertList, 2, query.after));
    STEELYARD_TRY(before, number_of_cursor(place[0]));
    after = place[1];
  }
  const std::int64_t most = std::max(query.limit, 0);
  SqlValues values;
  values.text(query.id).text(query.project).text(query.branch).text(query.benchmark).boolean(query.resolved_too);
  STEELYARD_TRY(const Rows rows, transaction.run("select " + selected<AlertRow>("a") + kChosen,
                                                 values.integer(most + 1)
                                                     .texts({query.benchmarks.begin(), query.benchmarks.end()})
                                                     .text(query.commit)
                                                     .text(query.state)
                                                     .integer(before)
                                                     .text(after)));
  Page<Alert> page;
  std::vector<Alert>& alerts = page.items;
  std::vector<std::string> ids;
  std::map<std::string, std::size_t> index;
  for (std::int64_t row = 0; row < std::min(rows.size(), most); ++row) {
    AlertRow read = alert_at(rows, row);
    page.places.push_back(write_cursor(kAlertList, {std::to_string(read.last.at_unix_ns), read.alert.id}));
    ids.push_back(read.alert.id);
    alerts.push_back(std::move(read.alert));
    index[ids.back()] = alerts.size() - 1;
  }
  if (rows.size() > most && most > 0) page.next = page.places.back();
  STEELYARD_TRY(const Rows steps,
                transaction.run("select alert, transition, at_unix_ns, changed_by, commit, note "
                                "from steelyard.alert_life where alert = any($1::text[]) order by alert, position",
                                SqlValues().texts(ids)));
  for (std::int64_t row = 0; row < steps.size(); ++row) {
    read_fields(steps, row, 1, alerts[index.at(steps.text(row, 0))].life.emplace_back());
  }
  STEELYARD_TRY(const auto days, accepted_until(transaction, ids));
  for (const auto& [alert, day] : days) alerts[index.at(alert)].accepted_until = day;
  STEELYARD_TRY(const auto assignments, assignments_of(transaction, ids));
  for (const auto& [alert, assignment] : assignments) {
    if (!assignment.to.empty()) alerts[index.at(alert)].assignment = assignment;
  }
  return page;
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
  STEELYARD_TRY(Page<Alert> page, read_within(transaction, query));
  std::vector<Alert>& alerts = page.items;
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
  STEELYARD_TRY(Page<Alert> page, read_within(transaction, query));
  return std::move(page.items);
}

Result<Page<Alert>> read_alert_page(Session& session, const AlertQuery& query) {
  AlertQuery bounded = query;
  bounded.limit = std::clamp(query.limit, 1, kMaxListed);
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  return read_within(transaction, bounded);
}

Result<std::vector<AcceptedAlert>> read_accepted_alerts(Session& session, const AcceptedQuery& query) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(
      const Rows rows,
      transaction.run(kAccepted, SqlValues().text(query.project).boolean(query.only_standing), {0, kMaxAccepted}));
  std::vector<AcceptedAlert> all;
  std::map<std::string, std::vector<std::size_t>> of_requests;  // places in `all`, by comparison
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    AcceptedAlert& one = all.emplace_back();
    AlertSubject& subject = one.subject;
    std::string comparison;
    read_in_order(rows, row, 0, subject.project, subject.branch, subject.benchmark, subject.metric, subject.fingerprint,
                  subject.change_point, one.unit, one.fingerprint, one.commit, one.level, one.at_unix_ns, comparison);
    if (is_request_branch(subject.branch)) of_requests[comparison].push_back(all.size() - 1);
  }
  if (of_requests.empty()) return all;
  std::vector<std::string> comparisons;
  for (const auto& [comparison, places] : of_requests) comparisons.push_back(comparison);
  STEELYARD_TRY(const Rows known, transaction.run(kMergedInto, SqlValues().texts(comparisons)));
  for (std::int64_t row = 0; row < known.size(); ++row) {
    for (const std::size_t place : of_requests.at(known.text(row, 0))) all[place].merged_into = known.text(row, 1);
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
  if (act.kind == AlertAct::Kind::reopen && !act.until.empty() && act.until != before.accepted_until) {
    return input_error("alert:" + before.id, "it was accepted anew", "what is accepted until " + act.until);
  }
  STEELYARD_CHECK(write_act(transaction, done, before));
  STEELYARD_CHECK(derive_alerts(transaction, {before.subject}));
  return the_alert(transaction, before.id);
}

}  // namespace steelyard::storage
