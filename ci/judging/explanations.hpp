// --explain: the steps from samples to answer of the rows that were asked for.
#pragma once

#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "regress/ab/explain.hpp"

namespace steelyard {

// `part`: of the benchmarks' names, or "all"; empty: nothing was asked for. A name that no row has is the user's
// mistake, with the nearest that there is.
Result<std::vector<Explanation>> explanations_of(const std::string& part, const Run& baseline, const Run& candidate,
                                                 const Comparison& comparison);

}  // namespace steelyard
