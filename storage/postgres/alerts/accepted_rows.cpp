#include "storage/postgres/alerts/accepted_rows.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "storage/postgres/alerts/alert_rows.hpp"
#include "storage/postgres/session/sql_values.hpp"

namespace steelyard::storage {
namespace {

constexpr const char* kOpen =
    "select alert, benchmark, changed_at_unix_ns, other_names from steelyard.alert_states where project = $1 and "
    "branch = $2 "
    "and state in ('open', 'acknowledged', 'reopened') order by alert";
constexpr const char* kAcceptedNow =
    "select alert from steelyard.alert_states where state = 'accepted' and ($1::text = '' or project = $1::text)";

// The table that says that a row's change is meant: the first of those that it was judged by which says what gates,
// where that is nothing, with a reason. Null: there is none.
const PatternPolicy* accepting_table(const ComparisonPolicy& policy, const ComparisonRow& row) {
  for (const PatternPolicy& table : policy.patterns) {
    const bool is_of_row = std::find(row.policies.begin(), row.policies.end(), table.match) != row.policies.end();
    if (!is_of_row || !table.gates) continue;
    return table.gates->empty() && !table.reason.empty() ? &table : nullptr;
  }
  return nullptr;
}

}  // namespace

Result<void> accept_by_policy(Transaction& transaction, const Comparison& comparison, const std::string& branch,
                              const std::string& sender) {
  std::map<std::string, const PatternPolicy*> accepting;  // by benchmark
  for (const ComparisonRow& row : comparison.rows) {
    if (const PatternPolicy* table = accepting_table(comparison.policy, row)) accepting.emplace(row.benchmark, table);
  }
  if (accepting.empty()) return {};
  const RunHeader& candidate = comparison.candidate;
  STEELYARD_TRY(const Rows open, transaction.run(kOpen, SqlValues().text(candidate.project).text(branch)));
  for (std::int64_t row = 0; row < open.size(); ++row) {
    auto found = accepting.find(open.text(row, 1));
    for (const std::string& name : texts_of_array(open.raw(row, 3))) {
      if (found == accepting.end()) found = accepting.find(name);
    }
    if (found == accepting.end() || open.integer(row, 2) > candidate.created_at_unix_ns) continue;
    const PatternPolicy& table = *found->second;
    const std::string& commit = table.accepted_commit.empty() ? candidate.commit.sha : table.accepted_commit;
    if (commit.empty()) continue;
    // Of a file's table nobody is named: who changed that line, its history says.
    std::string who = table.accepted_by.empty() ? table.where : table.accepted_by;
    if (!sender.empty()) who += " (" + sender + ')';
    STEELYARD_CHECK(act_within(transaction, {AlertAct::Kind::accept, open.text(row, 0), who, table.reason, commit,
                                             candidate.created_at_unix_ns, table.until}));
  }
  return {};
}

namespace {

struct Over {
  std::string alert;
  std::string until;  // the last day
};

Result<std::vector<Over>> accepted_before(Session& session, const std::string& project, const std::string& day) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const Rows accepted, transaction.run(kAcceptedNow, SqlValues().text(project)));
  const std::vector<std::string> alerts = accepted.texts(0);
  std::vector<Over> over;
  if (alerts.empty()) return over;
  STEELYARD_TRY(const auto days, accepted_until(transaction, alerts));
  for (const auto& [alert, until] : days) {
    if (!until.empty() && until < day) over.push_back({alert, until});
  }
  return over;
}

// In one transaction.
Result<std::int64_t> reopen(Session& session, std::span<const Over> over, std::int64_t at_unix_ns) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  std::int64_t ended = 0;
  for (const Over& one : over) {
    const Result<Alert> after =
        act_within(transaction, {AlertAct::Kind::reopen, one.alert, "steelyard", "it was accepted until " + one.until,
                                 "", at_unix_ns, one.until});
    // Somebody else was faster, or accepted it anew.
    if (!after && after.error().kind == ErrorKind::input) continue;
    STEELYARD_CHECK(after);
    ++ended;
  }
  STEELYARD_CHECK(transaction.commit());
  return ended;
}

}  // namespace

Result<std::int64_t> end_accepted_alerts(Session& session, const std::string& project, const std::string& day,
                                         std::int64_t at_unix_ns) {
  // However many there are, none of the transactions takes long, and what is done stays done.
  constexpr std::size_t kAtOnce = 50;
  STEELYARD_TRY(const std::vector<Over> over, accepted_before(session, project, day));
  std::int64_t ended = 0;
  for (std::size_t begin = 0; begin < over.size(); begin += kAtOnce) {
    const auto some = std::span<const Over>(over).subspan(begin, std::min(kAtOnce, over.size() - begin));
    STEELYARD_TRY(const std::int64_t more, reopen(session, some, at_unix_ns));
    ended += more;
  }
  return ended;
}

}  // namespace steelyard::storage
