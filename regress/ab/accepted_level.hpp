// Whether a regression goes no further than a level that somebody accepted.
#pragma once

#include <optional>
#include <string>

#include "bench/model/comparison.hpp"

namespace steelyard {

// "commit 1a2b3c4 accepted this level", or empty where the row shows more than that: its interval's near end (of
// counts: the count itself) lies beyond the level by more than the minimum effect (of counts: than their jitter).
std::string accepted_note(const ComparisonRow& row, const AcceptedLevel& accepted);

}  // namespace steelyard
