// The dot products of many pairs of short vectors, in the two ways that people write it: multiply everything and then
// sum, or one general matrix product (1 x n by n x 1) a pair.
#pragma once

#include <span>
#include <vector>

#include "bench/harness/operator_cost.hpp"

namespace steelyard::cpu_suite {

struct BatchedDotShape {
  std::size_t batch = 0;   // pairs
  std::size_t length = 0;  // of each vector
};

// left, right: batch x length, row by row; results: batch values; products: batch x length of scratch space.
void batched_dot_multiply_sum(BatchedDotShape shape, std::span<const float> left, std::span<const float> right,
                              std::span<float> products, std::span<float> results);
void batched_dot_gemm(BatchedDotShape shape, std::span<const float> left, std::span<const float> right,
                      std::span<float> results);

std::vector<double> batched_dot_reference(BatchedDotShape shape, std::span<const float> left,
                                          std::span<const float> right);

// The same work is declared for both, so that their rates compare. Two operators: the product, written and read back.
constexpr OperatorCost batched_dot_multiply_sum_cost(BatchedDotShape shape) {
  const std::size_t values = shape.batch * shape.length;
  return OperatorCost{operations(values), floats(2 * values), floats(values)} +
         OperatorCost{operations(values), floats(values), floats(shape.batch)};
}
constexpr OperatorCost batched_dot_gemm_cost(BatchedDotShape shape) {
  const std::size_t values = shape.batch * shape.length;
  return {operations(2 * values), floats(2 * values), floats(shape.batch)};
}

}  // namespace steelyard::cpu_suite
