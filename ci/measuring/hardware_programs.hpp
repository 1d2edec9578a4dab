// Reads the machine's own counters of programs that were timed before, where the settings ask for it.
#pragma once

#include <string>
#include <vector>

#include "ci/app/progress_line.hpp"
#include "ci/measuring/count_plan.hpp"

namespace steelyard {

// After timing and before counting: nothing else of ours runs beside it. What the machine has not, and what goes wrong
// with one program, are warnings: these counters judge nothing unless they are named.
void read_hardware(const std::vector<CountPair>& pairs, const MeasuringSettings& settings, const Limits& limits,
                   ProgressLine& progress, std::vector<std::string>& warnings);

}  // namespace steelyard
