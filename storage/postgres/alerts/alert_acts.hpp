// What people read of alerts, and what they say of them.
#pragma once

#include <vector>

#include "bench/model/result.hpp"
#include "storage/model/alert.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard {

// Newest change of state first, each with its life.
Result<std::vector<Alert>> read_alerts(Session& session, const AlertQuery& query);
// Of alerts that are accepted now, what was accepted last; in the order of writing. project: empty: any.
Result<std::vector<AcceptedAlert>> read_accepted_alerts(Session& session, const std::string& project);
// The alert as it stands afterwards. Error (input): no such alert, or it is in no state for that.
Result<Alert> act_on_alert(Session& session, const AlertAct& act);

}  // namespace steelyard
