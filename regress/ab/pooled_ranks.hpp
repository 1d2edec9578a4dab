// Mean ranks of groups of values when all values of all groups are ranked together. Ranks of pooled samples carry more
// than a median per invocation: a disturbed process gets a bounded rank, and quiet processes, which lie close together,
// tell small effects apart. Ties get the mean of their ranks (W. H. Kruskal and W. A. Wallis, 1952).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace steelyard {

struct GroupedValue {
  double value = 0;
  std::uint32_t group = 0;
};

// mean_ranks(values, groups)[g]: the mean 1-based rank of the values of group g; 0 for a group without values. Sorts
// `values`. Precondition: no NaN, every group below `groups`. Cost O(n log n).
std::vector<double> mean_ranks(std::vector<GroupedValue>& values, std::size_t groups);

// Hodges-Lehmann: the median of the averages of all pairs, each value with itself included (J. L. Hodges and E. L.
// Lehmann, Estimates of location based on rank tests, 1963). Precondition: not empty. Cost O(n^2) up to 200
// values; above that the plain median.
double hodges_lehmann(std::span<const double> values);

}  // namespace steelyard
