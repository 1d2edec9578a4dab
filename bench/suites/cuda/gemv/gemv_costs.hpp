// What matrix times vector costs by definition: two operations a weight; weights, scales and vector read, the product
// written. Vector and product are bf16 and counted, for 8-bit weights too.
#pragma once

#include "bench/harness/operator_cost.hpp"
#include "bench/suites/cuda/gemv/gemv_thread.hpp"

namespace steelyard::cuda_suite {

constexpr OperatorCost gemv_cost(MatrixShape shape, std::size_t weight_bytes) {
  const std::size_t weights = shape.rows * shape.columns;
  return {operations(2 * weights), bytes_of(weights, weight_bytes) + bytes_of(shape.columns, sizeof(Bf16)),
          bytes_of(shape.rows, sizeof(Bf16))};
}
// 8-bit weights: one multiplication a row more, and its scale.
constexpr OperatorCost scaled_gemv_cost(MatrixShape shape) {
  return gemv_cost(shape, 1) + OperatorCost{operations(shape.rows), floats(shape.rows), Bytes(0)};
}
// `picked` matrices of a stack, each times the same vector, which each reads.
constexpr OperatorCost gather_gemv_cost(MatrixShape shape, std::size_t weight_bytes, std::size_t picked) {
  return gemv_cost(shape, weight_bytes) * picked;
}
constexpr OperatorCost scaled_gather_gemv_cost(MatrixShape shape, std::size_t picked) {
  return scaled_gemv_cost(shape) * picked;
}

}  // namespace steelyard::cuda_suite
