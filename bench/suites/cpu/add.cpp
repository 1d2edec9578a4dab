#include "bench/suites/cpu/add.hpp"

#include <cassert>

namespace steelyard::cpu_suite {

void add(std::span<const float> left, std::span<const float> right, std::span<float> results) {
  assert(left.size() == results.size() && right.size() == results.size());
  const float* __restrict a = left.data();
  const float* __restrict b = right.data();
  float* __restrict sum = results.data();
  for (std::size_t i = 0; i < results.size(); ++i) sum[i] = a[i] + b[i];
}

std::vector<double> add_reference(std::span<const float> left, std::span<const float> right) {
  std::vector<double> results(left.size());
  for (std::size_t i = 0; i < left.size(); ++i)
    results[i] = static_cast<double>(left[i]) + static_cast<double>(right[i]);
  return results;
}

}  // namespace steelyard::cpu_suite
