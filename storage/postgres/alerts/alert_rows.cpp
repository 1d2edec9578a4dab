#include "storage/postgres/alerts/alert_rows.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "storage/postgres/alerts/alert_facts.hpp"

namespace steelyard {
namespace {

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
