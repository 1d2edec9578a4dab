// Turns a store into a distributed one on Citus, an extension of PostgreSQL: `steelyard db distribute`. Each table is
// moved in a transaction of its own and found moved when the command runs again, so that one that was cut off goes on.
// Tables of later migrations are placed by running it again.
#pragma once

#include "bench/model/result.hpp"
#include "storage/model/upkeep.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard {

// What would go where, and what did already. Touches nothing.
Result<DistributionPlan> plan_distribution(Session& session);

// Error (input): the server lacks the extension, or options that name no node. Error (store): the server refused, or a
// table has not the rows afterwards that it had before; what was moved until then stays moved, and is whole. The
// session acts as its login from then on.
Result<void> distribute(Session& session, const DistributeOptions& options, const DistributeProgress& progress);

// Whether any table of the store is distributed.
Result<bool> is_distributed(Transaction& transaction);

}  // namespace steelyard
