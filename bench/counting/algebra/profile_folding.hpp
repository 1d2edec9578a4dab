// name_folding.hpp for a profile that was kept: recursion levels and the compiler's copies under one name.
#pragma once

#include "bench/counting/name_folding.hpp"
#include "bench/model/counted_profile.hpp"
#include "bench/model/result.hpp"

namespace steelyard {

// Self costs, calls, arcs and source lines are added up, inclusive costs found anew. A profile in which nothing folds
// stays as it is, to the bit. Error (input): a sum does not fit into 63 bits, costs that are not one for each event, an
// index that points nowhere.
Result<CountedProfile> fold_names(const CountedProfile& profile, const NameFolding& folding);

}  // namespace steelyard
