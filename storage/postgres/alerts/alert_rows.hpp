// Alerts as the database keeps them: derived again, in the same transaction, whenever something is added that they
// depend on. Writers of one project and branch do that one after the other, at the end of their transactions.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "bench/model/comparison.hpp"
#include "bench/model/result.hpp"
#include "storage/model/alert.hpp"
#include "storage/model/history.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard::storage {

// After the comparison's rows were written. Looks at the alerts that its rows open, and at those of its branch that
// they may end.
Result<void> refresh_alerts(Transaction& transaction, const Comparison& comparison, const std::string& branch);
// After the events were written.
Result<void> refresh_alerts(Transaction& transaction, const std::vector<ChangePointEvent>& events);

// All of them again, from the facts alone: to the same bytes. The number of alerts.
Result<std::int64_t> rebuild_alerts(Transaction& transaction);

// For who adds a fact of another kind. Holds the alerts of the branch until the transaction ends.
Result<void> lock_alerts(Transaction& transaction, const std::string& project, const std::string& branch);
// Derives and writes the alerts of these subjects, all of one project and branch and of one source. Their number.
Result<std::int64_t> derive_alerts(Transaction& transaction, const std::vector<AlertSubject>& subjects);

// What people read of alerts, and what they say of them.

// Newest change of state first, each with its life.
Result<std::vector<Alert>> read_alerts(Session& session, const AlertQuery& query);
Result<Page<Alert>> read_alert_page(Session& session, const AlertQuery& query);
// In the order of writing.
Result<std::vector<AcceptedAlert>> read_accepted_alerts(Session& session, const AcceptedQuery& query);
// The alert as it stands afterwards. Error (input): no such alert, or it is in no state for that.
Result<Alert> act_on_alert(Session& session, const AlertAct& act);
// The last day of what was accepted last of each of them, "2026-12-31"; empty: for good. Not of those that never were.
Result<std::map<std::string, std::string>> accepted_until(Transaction& transaction,
                                                          const std::vector<std::string>& alerts);
// As act_on_alert(), within a transaction, which it does not end.
Result<Alert> act_within(Transaction& transaction, const AlertAct& act);

}  // namespace steelyard::storage
