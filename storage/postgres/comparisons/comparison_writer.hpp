// Puts a comparison into the database, in one transaction, known by comparison_id().
#pragma once

#include "bench/model/comparison.hpp"
#include "bench/model/result.hpp"
#include "storage/model/access.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard::storage {

// false: the comparison was there. submission: by whom the service had it; null: by the login itself.
Result<bool> write_comparison(Session& session, const Comparison& comparison,
                              const ComparisonSubmission* submission = nullptr);

}  // namespace steelyard::storage
