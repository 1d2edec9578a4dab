// Benchmarks that neither the candidate nor the newest run of the history has, and runs shortly before that one had: a
// run that lost them stands between. Whoever looks at two runs alone does not see it; a benchmark that disappeared is
// told until its last value is old.
#pragma once

#include <vector>

#include "bench/model/comparison.hpp"
#include "bench/model/run.hpp"
#include "bench/model/series.hpp"

namespace steelyard {

// Of the machine, by what the benchmarks that are still there were measured at.
inline constexpr std::size_t kRecentOccasions = 5;

// One row `missing` for each series of the candidate's machine that has a value among the kRecentOccasions newest
// occasions, and no row in `comparison` yet. Only metrics that the policy judges.
std::vector<ComparisonRow> rows_of_lost_series(const std::vector<SeriesHistory>& history, const Comparison& comparison);

}  // namespace steelyard
