// Puts a comparison into the database, in one transaction, known by comparison_id().
#pragma once

#include "bench/model/comparison.hpp"
#include "bench/model/result.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard::storage {

// false: the comparison was there.
Result<bool> write_comparison(Session& session, const Comparison& comparison);

}  // namespace steelyard::storage
