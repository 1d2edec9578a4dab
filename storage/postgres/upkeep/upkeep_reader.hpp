// What a store holds, its sizes, and the server's own upkeep, from its catalogs.
#pragma once

#include "bench/model/result.hpp"
#include "storage/model/upkeep.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard {

// All but what waits in the spool and what is to be said of the server. One pass over the runs.
Result<StoreStatus> read_status(Session& session);
// Makes missing partitions ahead where it may. Reads catalogs and statistics only, whatever the store holds.
Result<StoreUpkeep> read_upkeep(Session& session);

}  // namespace steelyard
