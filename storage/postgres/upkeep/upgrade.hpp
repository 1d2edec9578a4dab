// Tells what bringing a database up to date would do, and touches nothing.
#pragma once

#include "bench/model/result.hpp"
#include "storage/model/upkeep.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard {

// Errors as migrate(): a database that is newer than the program, or has other scripts.
Result<UpgradePlan> plan_upgrade(Session& session);

}  // namespace steelyard
