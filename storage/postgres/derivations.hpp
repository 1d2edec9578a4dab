// Data that is derived from what the store holds, and the version of the rule that made it. A database of a program
// without it, or with another rule, gets it anew when it is opened.
#pragma once

#include <cstdint>

#include "bench/model/result.hpp"
#include "storage/postgres/session.hpp"

namespace steelyard {

// Cheap where nothing is to be done. A login that may not write leaves it to the next one that may.
Result<void> ensure_derived(Session& session);

struct Derived {
  std::int64_t alerts = 0;
};
// All of it again, in one transaction: to the same bytes.
Result<Derived> rebuild_derived(Session& session);

}  // namespace steelyard
