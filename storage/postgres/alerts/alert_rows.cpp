#include "storage/postgres/alerts/alert_rows.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace steelyard {
namespace {

// Of each alert at most so many of the newest comparisons are looked at.
constexpr std::int64_t kMostComparisonsOfAlert = 1000;

// $1 project, $2 branch, $3 and $4 benchmarks and metrics, $5 the most of each. The branch's comparisons first: what
// others keep of the same benchmarks costs nothing then. Numbered and not limited one by one: a distributed store
// cannot do that.
constexpr const char* kOfComparisons = R"sql(
with c as materialized (
  select comparison_key, compared_at_unix_ns, id, baseline_commit, baseline_run, candidate_commit, candidate_run,
         candidate_fingerprint
  from steelyard.comparisons
  where hashtextextended(project, 0) = hashtextextended($1::text, 0) and project = $1::text
    and hashtextextended(branch, 0) = hashtextextended($2::text, 0) and branch = $2::text)
select number, compared_at_unix_ns, id, verdict,
       coalesce(nullif(baseline_commit, ''), baseline_run),
       coalesce(nullif(candidate_commit, ''), candidate_run),
       candidate_commit, candidate_fingerprint, unit, baseline, candidate, ratio, margin, better = 'higher'
from (
  select s.number, c.compared_at_unix_ns, c.id, x.verdict, c.baseline_commit, c.baseline_run, c.candidate_commit,
         c.candidate_run, c.candidate_fingerprint, m.unit, x.baseline, x.candidate, x.ratio, x.margin, m.better,
         row_number() over (partition by s.number order by c.compared_at_unix_ns desc, c.id desc) as age
  from unnest($3::text[], $4::text[]) with ordinality as s(benchmark, metric, number)
  cross join c
  join steelyard.comparison_rows x
    on x.comparison_key = c.comparison_key
       and hashtextextended(x.benchmark, 0) = hashtextextended(s.benchmark collate "C", 0)
       and x.benchmark = s.benchmark collate "C"
  join steelyard.metrics m on m.metric_key = x.metric_key and m.name = s.metric
  where x.gates) f
where age <= $5::bigint
order by number, age
)sql";

// $1 to $6: the fields of the subjects.
constexpr const char* kOfChangePoints = R"sql(
select s.number, (extract(epoch from l.happened_at) * 1000000)::bigint * 1000, l.change_point_log_key, l.event,
       l.to_commit, p.fingerprint, p.level_before, p.level_after, p.ratio
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

std::optional<double> number_or_absent(const Rows& rows, std::int64_t row, int column) {
  return rows.is_null(row, column) ? std::nullopt : std::optional(rows.number(row, column));
}

// So that the order of texts is that of keys.
std::string padded(std::int64_t key) {
  constexpr std::size_t kDigits = 19;
  const std::string text = std::to_string(key);
  return std::string(kDigits - text.size(), '0') + text;
}

AlertFact fact_of_comparison(const Rows& rows, std::int64_t row) {
  AlertFact fact;
  fact.at_unix_ns = rows.integer(row, 1);
  fact.id = rows.text(row, 2);
  fact.what = rows.text(row, 3);
  fact.baseline_side = rows.text(row, 4);
  fact.candidate_side = rows.text(row, 5);
  fact.commit = rows.text(row, 6);
  fact.fingerprint = rows.text(row, 7);
  fact.unit = rows.text(row, 8);
  fact.baseline = number_or_absent(rows, row, 9);
  fact.candidate = number_or_absent(rows, row, 10);
  fact.ratio = number_or_absent(rows, row, 11);
  fact.margin = rows.number(row, 12);
  fact.higher_is_better = rows.boolean(row, 13);
  return fact;
}

AlertFact fact_of_change_point(const Rows& rows, std::int64_t row) {
  AlertFact fact;
  fact.kind = AlertFact::Kind::change_point;
  fact.at_unix_ns = rows.integer(row, 1);
  fact.id = padded(rows.integer(row, 2));
  fact.what = rows.text(row, 3);
  fact.commit = rows.text(row, 4);
  fact.fingerprint = rows.text(row, 5);
  fact.baseline = rows.number(row, 6);
  fact.candidate = rows.number(row, 7);
  fact.ratio = number_or_absent(rows, row, 8);
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
    fact.id = padded(rows.integer(row, 1));
    fact.what = rows.text(row, 2);
    fact.who = rows.text(row, 3);
    fact.note = rows.text(row, 4);
    fact.commit = rows.text(row, 5);
    fact.at_unix_ns = rows.integer(row, 6);
    facts[rows.text(row, 0)].push_back(std::move(fact));
  }
  return {};
}

// Whose facts are in memory together.
constexpr std::size_t kSubjectsAtOnce = 200;
// Until the transaction ends. Readers do not wait; nor do writers of runs.
constexpr const char* kLock = "select pg_advisory_xact_lock(hashtextextended('steelyard.alerts ' || $1, 0))";

bool is_worse(Verdict verdict) {
  return verdict == Verdict::regression || verdict == Verdict::failed || verdict == Verdict::missing;
}

SqlValues state_values(const Alert& alert) {
  const AlertSubject& subject = alert.subject;
  const AlertTransition& last = alert.life.back();
  SqlValues values;
  values.text(alert.id).text(subject.change_point.empty() ? "comparison" : "change point");
  values.text(subject.project).text(subject.branch).text(subject.benchmark).text(subject.metric).text(alert.unit);
  values.text(subject.fingerprint).text(subject.change_point).text(alert.comparison).text(alert.commit);
  values.text(alert.verdict).text(to_text(alert.state)).number(alert.baseline).number(alert.candidate);
  values.number(alert.ratio).integer(alert.life.front().at_unix_ns).integer(last.at_unix_ns).text(last.by);
  return values.text(alert.accepted_commit).text(last.note);
}

Result<void> write_states(Transaction& transaction, const std::vector<Alert>& alerts) {
  std::vector<std::pair<const Alert*, std::size_t>> steps;
  for (const Alert& alert : alerts) {
    for (std::size_t i = 0; i < alert.life.size(); ++i) steps.emplace_back(&alert, i);
  }
  STEELYARD_CHECK(transaction.copy({"steelyard.alert_states",
                                    {"alert",
                                     "source",
                                     "project",
                                     "branch",
                                     "benchmark",
                                     "metric",
                                     "unit",
                                     "fingerprint",
                                     "change_point",
                                     "comparison",
                                     "commit",
                                     "verdict",
                                     "state",
                                     "baseline",
                                     "candidate",
                                     "ratio",
                                     "opened_at_unix_ns",
                                     "changed_at_unix_ns",
                                     "changed_by",
                                     "accepted_commit",
                                     "note"}},
                                   alerts.size(), [&](std::size_t i) { return state_values(alerts[i]); }));
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
Result<std::set<Name>> unsettled(Transaction& transaction, const RunHeader& candidate) {
  STEELYARD_TRY(
      const Rows rows,
      transaction.run(
          "select benchmark, metric from steelyard.alert_states where project = $1 "
          "and branch = $2 and source = 'comparison' "
          "and (state <> 'resolved' or changed_at_unix_ns >= $3)",
          SqlValues().text(candidate.project).text(candidate.commit.branch).integer(candidate.created_at_unix_ns)));
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
  STEELYARD_TRY(const Rows rows, transaction.run(kOfComparisons, SqlValues()
                                                                     .text(subjects.front().project)
                                                                     .text(subjects.front().branch)
                                                                     .texts(benchmarks)
                                                                     .texts(metrics)
                                                                     .integer(kMostComparisonsOfAlert)));
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

Result<void> refresh_alerts(Transaction& transaction, const Comparison& comparison) {
  const RunHeader& candidate = comparison.candidate;
  STEELYARD_CHECK(lock_alerts(transaction, candidate.project, candidate.commit.branch));
  STEELYARD_TRY(const std::set<Name> known, unsettled(transaction, candidate));
  std::set<Name> names;
  for (const ComparisonRow& row : comparison.rows) {
    const Name name{row.benchmark, row.metric.name};
    if (row.gates && (is_worse(row.verdict) || known.count(name) != 0)) names.insert(name);
  }
  STEELYARD_CHECK(derive_alerts(transaction, subjects_of(names, candidate.project, candidate.commit.branch)));
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

}  // namespace steelyard
