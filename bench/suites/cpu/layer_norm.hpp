// Layer normalization: each row to mean 0 and variance 1, then scaled and shifted by column.
#pragma once

#include <span>
#include <vector>

#include "bench/harness/operator_cost.hpp"
#include "bench/suites/cpu/rows_shape.hpp"

namespace steelyard::cpu_suite {

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

}  // namespace steelyard::cpu_suite
