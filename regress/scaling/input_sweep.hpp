// Sweeps over the size of what benchmarks were given: the items of a fuzzed benchmark differ in several parameters, and
// their labels say how many elements they have (Run::labels, kElementsWord).
#pragma once

#include <vector>

#include "regress/scaling/sweep.hpp"

namespace steelyard {

// SweepChoice::over where it means the elements of the inputs.
inline constexpr std::string_view kElements = "elements";

// Benchmarks of one name, whatever their parameters, are one sweep. At least three of different sizes. Error (input):
// there is none.
Result<std::vector<Sweep>> find_input_sweeps(const Run& run, const SweepChoice& choice);

}  // namespace steelyard
