// Layer normalization: each row to mean 0 and variance 1, then scaled and shifted by column.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "bench/harness/operator_cost.hpp"

namespace steelyard::cpu_suite {

// A matrix that is worked on row by row, each row alone.

struct RowsShape {
  std::size_t rows = 0;
  std::size_t columns = 0;  // at least 1
};

// Added to the variance, so that a constant row has a result; PyTorch's default.
inline constexpr float kLayerNormEpsilon = 1e-5f;

// values, results: rows x columns, row by row; weights, biases: one a column; `results` may be `values`.
void layer_norm(RowsShape shape, std::span<const float> values, std::span<const float> weights,
                std::span<const float> biases, std::span<float> results);

std::vector<double> layer_norm_row_in_double(std::vector<double> row, std::span<const float> weights,
                                             std::span<const float> biases);
std::vector<double> layer_norm_reference(RowsShape shape, std::span<const float> values, std::span<const float> weights,
                                         std::span<const float> biases);

// A row of n: sum n-1 and division; n subtractions, n squares, sum n-1 and division; epsilon, root, reciprocal; then n
// of each of normalization, weight and bias.
constexpr OperatorCost layer_norm_cost(RowsShape shape) {
  const std::size_t values = shape.rows * shape.columns;
  return {operations(shape.rows * (7 * shape.columns + 3)), floats(values + 2 * shape.columns), floats(values)};
}

// The softmax of each row of a matrix, shifted by the row's largest value so that exp cannot overflow.

// values, results: rows x columns, row by row; `results` may be `values`.
void softmax(RowsShape shape, std::span<const float> values, std::span<float> results);

std::vector<double> softmax_reference(RowsShape shape, std::span<const float> values);

// A row: columns - 1 comparisons, subtractions, exps, columns - 1 additions, one reciprocal, multiplications.
constexpr OperatorCost softmax_cost(RowsShape shape) {
  const std::size_t values = shape.rows * shape.columns;
  return {operations(shape.rows * (5 * shape.columns - 1)), floats(values), floats(values)};
}

}  // namespace steelyard::cpu_suite
