// What tells one fuzzed item from another in the name of a benchmark. Internal to bench/harness/fuzz.
#pragma once

#include <vector>

#include "bench/harness/fuzz/fuzzer.hpp"

namespace steelyard {

// Fills ItemPlan::identity of all. The first k items get the same texts however many follow them.
void name_items(const FuzzerSpec& spec, std::vector<ItemPlan>& items);

}  // namespace steelyard
