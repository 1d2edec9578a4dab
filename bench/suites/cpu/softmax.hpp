// The softmax of each row of a matrix, shifted by the row's largest value so that exp cannot overflow.
#pragma once

#include <span>
#include <vector>

#include "bench/harness/operator_cost.hpp"
#include "bench/suites/cpu/rows_shape.hpp"

namespace steelyard::cpu_suite {

// values, results: rows x columns, row by row; `results` may be `values`.
void softmax(RowsShape shape, std::span<const float> values, std::span<float> results);

std::vector<double> softmax_reference(RowsShape shape, std::span<const float> values);

// A row: columns - 1 comparisons, subtractions, exps, columns - 1 additions, one reciprocal, multiplications.
constexpr OperatorCost softmax_cost(RowsShape shape) {
  const std::size_t values = shape.rows * shape.columns;
  return {operations(shape.rows * (5 * shape.columns - 1)), floats(values), floats(values)};
}

}  // namespace steelyard::cpu_suite
