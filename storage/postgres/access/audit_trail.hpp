// Who did what to the store: written in the transaction of the act itself, so that there is no act without its row.
#pragma once

#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "storage/model/access.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard {

Result<void> write_audit(Transaction& transaction, const AuditEntry& entry);
// Newest first.
Result<std::vector<AuditEntry>> read_audit(Session& session, int limit);

}  // namespace steelyard
