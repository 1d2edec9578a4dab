#include "bench/model/quantile.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>

namespace steelyard {

double quantile_of_sorted(std::span<const double> ascending, double p) {
  assert(!ascending.empty() && p >= 0 && p <= 1);
  const double position = static_cast<double>(ascending.size() - 1) * p;
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, ascending.size() - 1);
  return ascending[below] + (position - static_cast<double>(below)) * (ascending[above] - ascending[below]);
}

double median(std::vector<double> values) {
  assert(!values.empty());
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return 0.5 * *std::max_element(values.begin(), middle) + 0.5 * *middle;  // their sum could overflow
}

}  // namespace steelyard
