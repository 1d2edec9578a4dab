#include "bench/suites/cpu/batched_dot.hpp"

#include <cblas.h>

namespace steelyard::cpu_suite {

void batched_dot_multiply_sum(BatchedDotShape shape, std::span<const float> left, std::span<const float> right,
                              std::span<float> products, std::span<float> results) {
  for (std::size_t i = 0; i < shape.batch * shape.length; ++i) products[i] = left[i] * right[i];
  for (std::size_t pair = 0; pair < shape.batch; ++pair) {
    float sum = 0;
    for (std::size_t i = 0; i < shape.length; ++i) sum += products[pair * shape.length + i];
    results[pair] = sum;
  }
}

void batched_dot_gemm(BatchedDotShape shape, std::span<const float> left, std::span<const float> right,
                      std::span<float> results) {
  const auto n = static_cast<blasint>(shape.length);
  for (std::size_t pair = 0; pair < shape.batch; ++pair) {
    const std::size_t start = pair * shape.length;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, 1, 1, n, 1.0f, &left[start], n, &right[start], 1, 0.0f,
                &results[pair], 1);
  }
}

std::vector<double> batched_dot_reference(BatchedDotShape shape, std::span<const float> left,
                                          std::span<const float> right) {
  std::vector<double> results(shape.batch);
  for (std::size_t i = 0; i < shape.batch * shape.length; ++i) {
    results[i / shape.length] += static_cast<double>(left[i]) * static_cast<double>(right[i]);
  }
  return results;
}

}  // namespace steelyard::cpu_suite
