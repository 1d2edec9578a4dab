// What a store holds, its sizes, and the server's own upkeep, from its catalogs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/model/result.hpp"
#include "storage/model/upkeep.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard::storage {

// All but what waits in the spool and what is to be said of the server. One pass over the runs.
Result<StoreStatus> read_status(Session& session);
// Makes missing partitions ahead where it may. Reads catalogs and statistics and the series, none of what they hold.
Result<StoreUpkeep> read_upkeep(Session& session);

// Tells what bringing a database up to date would do, and touches nothing.

// Errors as migrate(): a database that is newer than the program, or has other scripts.
Result<UpgradePlan> plan_upgrade(Session& session);

// Which tables a migration creates, rewrites, fills and drops, read from its text: names without the schema, each once,
// in the order of the script. For the scripts of this repository, which are written to be read: what code in a DO block
// does is not seen.
struct ScriptEffects {
  std::vector<std::string> creates;
  std::vector<std::string> rewrites;  // a column gets another type, or every row another content
  std::vector<std::string> fills;
  std::vector<std::string> drops;
};
ScriptEffects effects_of_script(std::string_view script);

}  // namespace steelyard::storage
