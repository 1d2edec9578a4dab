// The order of PositionCost, and several costs of one place made one.
#pragma once

#include <vector>

#include "bench/counting/callgrind_reader.hpp"

namespace steelyard {

// Sorts `costs` by function, file, address and line, adds up those that agree in all four, and drops what costs
// nothing. False where a sum does not fit into 63 bits. Cost: n log n. Precondition: all have equally many events.
bool merge_equal_positions(std::vector<PositionCost>& costs);

}  // namespace steelyard
