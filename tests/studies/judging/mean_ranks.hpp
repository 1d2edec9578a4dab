// Mean ranks of groups of values when all values of all groups are ranked together. Ranks of pooled samples carry more
// than a median per invocation: a disturbed process gets a bounded rank, and quiet processes, which lie close together,
// tell small effects apart. Ties get the mean of their ranks (W. H. Kruskal and W. A. Wallis, 1952).
#pragma once

#include <cstddef>
#include <vector>

#include "regress/ab/sample_scores.hpp"

namespace steelyard::judging {

// mean_ranks(values, groups)[g]: the mean 1-based rank of the values of group g; 0 for a group without values. Sorts
// `values`. Precondition: no NaN, every group below `groups`. Cost O(n log n).
std::vector<double> mean_ranks(std::vector<regress::GroupedValue>& values, std::size_t groups);

}  // namespace steelyard::judging
