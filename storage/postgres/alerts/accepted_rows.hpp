// Acceptances that nobody types: a kept comparison whose policy says that a change is meant (a commit's message, a
// label, a comment, or a table of steelyard.toml with `gates = []` and a reason) accepts the open alerts of those
// benchmarks, and what was accepted until a day is open again after it.
#pragma once

#include <cstdint>
#include <string>

#include "bench/model/comparison.hpp"
#include "bench/model/result.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard::storage {

// After refresh_alerts() of the comparison, in its transaction. By the person that the policy names, or the table's own
// line, at the commit that says so, or the candidate's. What changed its state after the candidate was measured stays
// as it is, and so does everything where no commit is known. branch: alert_branch() of the comparison. sender: who put
// it, told beside the person; empty: the login itself.
Result<void> accept_by_policy(Transaction& transaction, const Comparison& comparison, const std::string& branch,
                              const std::string& sender);

// project: empty: any. day: "2026-12-31". How many alerts are open again.
Result<std::int64_t> end_accepted_alerts(Session& session, const std::string& project, const std::string& day,
                                         std::int64_t at_unix_ns);

}  // namespace steelyard::storage
