// What a comparison was made from, as rows beside it: the headers of its two runs and the history that the candidate
// was held against. Internal to storage/postgres.
#pragma once

#include <cstdint>

#include "bench/model/comparison.hpp"
#include "bench/model/result.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard {

// Error (input) also: a history that is too large to be kept.
Result<void> write_comparison_inputs(Transaction& transaction, std::int64_t comparison_key,
                                     const Comparison& comparison);
// Fills both headers and the history. What an older program wrote has neither: its headers stay as they are.
Result<void> read_comparison_inputs(Transaction& transaction, std::int64_t comparison_key, Comparison& comparison);

}  // namespace steelyard
