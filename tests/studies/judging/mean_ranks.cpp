#include "tests/studies/judging/mean_ranks.hpp"

#include <algorithm>
#include <cassert>

namespace steelyard::judging {

std::vector<double> mean_ranks(std::vector<regress::GroupedValue>& values, std::size_t groups) {
  // The group breaks ties of the sort alone, for the same order everywhere; ranks of equal values are equal.
  std::sort(values.begin(), values.end(), [](const regress::GroupedValue& a, const regress::GroupedValue& b) {
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

}  // namespace steelyard::judging
