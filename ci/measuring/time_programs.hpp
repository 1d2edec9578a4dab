// Times all programs of a comparison one after the other, both sides of each together, within one budget. A program
// that cannot be timed costs its own benchmarks, never what was measured of the others.
#pragma once

#include <vector>

#include "bench/runner/measure.hpp"
#include "ci/measuring/listed_pair.hpp"

namespace steelyard {

// Each program gets the share of the budget that is left that its number of benchmarks
// asks for; where nothing is left, and where a program fails as a whole, its benchmarks are failures of the runs. A
// program without benchmarks is skipped, unless none has any. Error: no program could be measured; that of the first.
// Each of `listed` is told the plan of its samples.
Result<MeasuredPair> time_programs(std::vector<ListedPair>& listed, const MeasuringSettings& settings,
                                   const TimingPlan& timing, const Limits& limits);

}  // namespace steelyard
