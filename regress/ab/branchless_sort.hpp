// Sorting of few values without branches that depend on them: no processor can guess those, and each wrong guess costs
// as much as ten comparisons. The same result as any other sort, bit for bit.
//
//     sort_values(logs);                          samples of one invocation
//     merge_runs(entries, ends_of_sorted_runs);   those of all of them
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "regress/ab/pooled_ranks.hpp"

namespace steelyard {

// Ascending. Precondition: no NaN. Up to 16 values by counting, more by the library's sort.
void sort_values(std::vector<double>& values);

// Sorts by value, equal ones by run. Each run is sorted already; ends[i] is the index behind run i, ascending, and the
// last one values.size(). Precondition: no NaN. Cost O(n log runs).
void merge_runs(std::span<GroupedValue> values, std::vector<std::size_t> ends);

}  // namespace steelyard
