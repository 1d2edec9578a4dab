#include "regress/ab/pooled_ranks.hpp"

#include <algorithm>
#include <cassert>

#include "bench/model/quantile.hpp"

namespace steelyard {
namespace {
// Above this many values the median stands in for the median of pairs: by then the two agree to within their error,
// and the pairs would cost more than everything else.
constexpr std::size_t kMostPairedValues = 200;
}  // namespace

std::vector<double> mean_ranks(std::vector<GroupedValue>& values, std::size_t groups) {
  // The group breaks ties of the sort alone, for the same order everywhere; ranks of equal values are equal.
  std::sort(values.begin(), values.end(), [](const GroupedValue& a, const GroupedValue& b) {
    return a.value != b.value ? a.value < b.value : a.group < b.group;
  });
  std::vector<double> sums(groups, 0.0);
  std::vector<double> counts(groups, 0.0);
  for (std::size_t begin = 0; begin < values.size();) {
    std::size_t end = begin + 1;
    while (end < values.size() && values[end].value == values[begin].value) ++end;
    const double rank = 0.5 * static_cast<double>(begin + 1 + end);
    for (; begin < end; ++begin) {
      assert(values[begin].group < groups);
      sums[values[begin].group] += rank;
      counts[values[begin].group] += 1;
    }
  }
  for (std::size_t g = 0; g < groups; ++g) {
    if (counts[g] > 0) sums[g] /= counts[g];
  }
  return sums;
}

double hodges_lehmann(std::span<const double> values) {
  if (values.size() > kMostPairedValues) return median({values.begin(), values.end()});
  std::vector<double> averages;
  averages.reserve(values.size() * (values.size() + 1) / 2);
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i; j < values.size(); ++j) averages.push_back(0.5 * (values[i] + values[j]));
  }
  return median(std::move(averages));
}

}  // namespace steelyard
