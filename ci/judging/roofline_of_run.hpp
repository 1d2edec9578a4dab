// The roofline of one run: its benchmarks as points, and those ceilings of its machine that they are held against.
#pragma once

#include "bench/model/run.hpp"
#include "ci/judging/report_targets.hpp"
#include "ci/report/roofline.hpp"

namespace steelyard {

// Ceilings: all levels and all dtypes at the numbers of threads that the benchmarks used. Without any known, points
// alone.
Roofline roofline_of_run(const Run& run, const AskedTargets& asked);

}  // namespace steelyard
