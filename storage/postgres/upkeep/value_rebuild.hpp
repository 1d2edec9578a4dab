// The value of every measurement again from its samples. Internal to storage/postgres: derivations.hpp is the door.
#pragma once

#include "bench/model/result.hpp"
#include "storage/model/upkeep.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard {

// A run at a time, each in a transaction of its own; values whose samples were dropped stay. Counts into `derived`.
Result<void> rebuild_values(Session& session, Derived& derived);

}  // namespace steelyard
