// A device's cycles as a second witness of its time. A multiprocessor's clock follows power and heat: where the time of
// a kernel changed and its cycles did not, the clock did it and not the code. The witness tells; it decides nothing.
#pragma once

#include <vector>

#include "bench/model/comparison.hpp"
#include "bench/model/run.hpp"

namespace steelyard {

// Adds to the reason of each changed row of real_time whose benchmark has device_cycles on both sides that the cycles
// changed as well, or that they did not, with both clocks where they are known.
void ask_second_witness(const Run& baseline, const Run& candidate, std::vector<ComparisonRow>& rows);

}  // namespace steelyard
