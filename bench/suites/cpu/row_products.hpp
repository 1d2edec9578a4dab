// Matrix times vector (GEMV) by kernels of our own: weights in fp32, bf16 or 8-bit integers with a scale a row, the
// vector and all sums in fp32. What a language model does for each token; bounded by the memory that the weights take.
//
// Gathered: of a stack of matrices the picked ones are multiplied in place, as a mixture of experts does.
#pragma once

#include <span>
#include <vector>

#include "bench/harness/operator_cost.hpp"
#include "bench/suites/cpu/layer_norm.hpp"
#include "bench/suites/cpu/narrow_values.hpp"
#include "bench/suites/cpu/vector_set.hpp"

namespace steelyard::cpu_suite {

// matrix: rows x columns, row by row; vector: columns values; product: rows values. `set`: at most what the CPU has.
void row_products(RowsShape shape, std::span<const float> matrix, std::span<const float> vector,
                  std::span<float> product, VectorSet set = widest_vector_set());
void row_products(RowsShape shape, std::span<const Bf16> matrix, std::span<const float> vector,
                  std::span<float> product, VectorSet set = widest_vector_set());
void row_products(RowsShape shape, std::span<const std::int8_t> matrix, std::span<const float> scales,
                  std::span<const float> vector, std::span<float> product, VectorSet set = widest_vector_set());

// With the CPU's own bf16 multiplication, so that the vector is bf16 as well. Precondition: has_bf16_dot().
void row_products_bf16_dot(RowsShape shape, std::span<const Bf16> matrix, std::span<const Bf16> vector,
                           std::span<float> product);

std::vector<double> row_products_reference(RowsShape shape, std::span<const float> matrix,
                                           std::span<const float> vector);
std::vector<double> row_products_reference(RowsShape shape, std::span<const Bf16> matrix,
                                           std::span<const float> vector);
std::vector<double> row_products_reference(RowsShape shape, std::span<const std::int8_t> matrix,
                                           std::span<const float> scales, std::span<const float> vector);

// The matrices `picked` of a stack times one vector. `stack`: matrices of shape, one after the other; product: rows
// values for each picked one; scales: rows of them for each matrix of the stack.
void gathered_products(RowsShape shape, std::span<const Bf16> stack, std::span<const std::size_t> picked,
                       std::span<const float> vector, std::span<float> product);
void gathered_products(RowsShape shape, std::span<const std::int8_t> stack, std::span<const float> scales,
                       std::span<const std::size_t> picked, std::span<const float> vector, std::span<float> product);

// Weights of weight_bytes each, a vector and a product of fp32 values: all of it is counted.
constexpr OperatorCost row_products_cost(RowsShape shape, std::size_t weight_bytes) {
  const std::size_t values = shape.rows * shape.columns;
  return {operations(2 * values), bytes_of(values, weight_bytes) + floats(shape.columns), floats(shape.rows)};
}
// The vector in the width of the weights.
constexpr OperatorCost row_products_bf16_dot_cost(RowsShape shape) {
  const std::size_t values = shape.rows * shape.columns;
  return {operations(2 * values), bytes_of(values + shape.columns, sizeof(Bf16)), floats(shape.rows)};
}
// One multiplication a row more, and its scale.
constexpr OperatorCost scaled_row_products_cost(RowsShape shape) {
  return row_products_cost(shape, 1) + OperatorCost{operations(shape.rows), floats(shape.rows), Bytes(0)};
}
// `picked` products, each of which reads the vector.
constexpr OperatorCost gathered_products_cost(RowsShape shape, std::size_t weight_bytes, std::size_t picked) {
  return row_products_cost(shape, weight_bytes) * picked;
}
constexpr OperatorCost scaled_gathered_products_cost(RowsShape shape, std::size_t picked) {
  return scaled_row_products_cost(shape) * picked;
}

}  // namespace steelyard::cpu_suite
