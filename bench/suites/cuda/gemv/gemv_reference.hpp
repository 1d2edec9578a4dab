// A row of weights times the vector in double precision, with the bound of the kernel's answer. What is multiplied
// comes from functions, so that weights need not lie in memory a second time.
#pragma once

#include <cmath>
#include <cstddef>
#include <type_traits>

#include "bench/harness/operator_cost.hpp"
#include "bench/suites/cuda/arithmetic/answer_check.hpp"
#include "bench/suites/cuda/arithmetic/block_tree.hpp"
#include "bench/suites/cuda/gemv/gemv_kernels.hpp"

namespace steelyard::cuda_suite {

struct DotExtent {
  std::size_t columns = 0;
  std::size_t lanes = 8;     // weights of a pack
  std::size_t threads = 32;  // that share the columns
  double scale = 1;          // of the row; 1: none
};

// weight(i), value(i): column i as double. The bound: each product is exact, or of two numbers in single precision
// rounded once; a thread adds its share one by one, the
// tree's steps round once each, the scale once, each relative to at most the sum of the magnitudes (Higham, Accuracy
// and Stability of Numerical Algorithms, 2002, equation 4.4); then one rounding to T, the type of vector and product.
template <class T = Bf16, class WeightAt, class ValueAt>
Wanted dot_wanted(const DotExtent& extent, WeightAt weight, ValueAt value) {
  double sum = 0;
  double magnitude = 0;
  for (std::size_t i = 0; i < extent.columns; ++i) {
    const double product = weight(i) * value(i);
    sum += product;
    magnitude += std::fabs(product);
  }
  const std::size_t a_step = extent.lanes * extent.threads;
  const auto share = static_cast<double>((extent.columns + a_step - 1) / a_step * extent.lanes);
  const double roundings_of_product = std::is_same_v<T, float> ? 1 : 0;
  const double error =
      float_growth(share + roundings_of_product + kTreeSteps + 1) * magnitude * std::fabs(extent.scale);
  return {sum * extent.scale, rounded_bound<T>(std::fabs(sum * extent.scale), error)};
}

// What matrix times vector costs by definition: two operations a weight; weights, scales and vector read, the product
// written. Vector and product are counted: bf16, for 8-bit weights too, or single precision.

constexpr OperatorCost gemv_cost(MatrixShape shape, std::size_t weight_bytes) {
  const std::size_t weights = shape.rows * shape.columns;
  const std::size_t value_bytes = weight_bytes == sizeof(float) ? sizeof(float) : sizeof(Bf16);
  return {operations(2 * weights), bytes_of(weights, weight_bytes) + bytes_of(shape.columns, value_bytes),
          bytes_of(shape.rows, value_bytes)};
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
