// Data that is derived from what the store holds, and the version of the rule that made it. A database of a program
// without it, or with another rule, gets it anew when it is opened.
#pragma once

#include "bench/model/result.hpp"
#include "storage/model/upkeep.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard::storage {

// Cheap where nothing is to be done. A login that may not write leaves it to the next one that may.
Result<void> ensure_derived(Session& session);

// Change points and alerts again, in a transaction each, the order of every branch, and the value of every measurement
// that still has its samples: to the same bytes. Needs the rights of the schema's owner.
Result<Derived> rebuild_derived(Session& session);
// Alerts alone; for that the writer's rights are enough.
Result<Derived> rebuild_derived_alerts(Session& session);

}  // namespace steelyard::storage
