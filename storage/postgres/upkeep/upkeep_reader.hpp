// Sizes and the server's own upkeep, from its catalogs.
#pragma once

#include "bench/model/result.hpp"
#include "storage/postgres/session/session.hpp"
#include "storage/upkeep.hpp"

namespace steelyard {

// Makes missing partitions ahead where it may. Reads catalogs and statistics only, whatever the store holds.
Result<StoreUpkeep> read_upkeep(Session& session);

}  // namespace steelyard
