// Drops what a retention policy gives up. Closed partitions of which everything goes are written anew and swapped, or
// dropped, each in one transaction; of others single runs are emptied, some at a time. What was dropped stands in
// steelyard.prunings, in the transaction that dropped it, so that an interruption leaves nothing half told and the next
// call goes on.
#pragma once

#include "bench/model/result.hpp"
#include "storage/model/upkeep.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard {

// Needs the rights of the schema's owner. Of `archives` in the result nothing is filled in.
Result<Pruned> prune(Session& session, const PruneOptions& options);

}  // namespace steelyard
