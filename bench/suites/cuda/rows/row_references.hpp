// The operations on one row in double precision, with the bound that a kernel's answer has to keep at each value.
//
// The bounds count roundings. With u = 2^-24 (single precision) and a chain of k roundings, g(k) = ku / (1 - ku); v is
// the unit roundoff of the values' type, by which the result is rounded once (row_kernels.hpp) or once a link
// (row_kernels.hpp). A sum over a row goes through at most kRowSum roundings.
#pragma once

#include <span>
#include <vector>

#include "bench/harness/operator_cost.hpp"
#include "bench/suites/cuda/arithmetic/answer_check.hpp"
#include "bench/suites/cuda/rows/row_kernels.hpp"

namespace steelyard::cuda_suite {

// The values that a thread adds one by one, and the tree's steps.
inline constexpr double kRowSum = kRowPacks * 8 + kTreeSteps;

enum class RowForm {
  fused,  // one kernel: values of the given type are read and written, all between is single precision
  chain,  // one kernel a link: each link rounds to the values' type
};

template <class T>
std::vector<Wanted> softmax_wanted(std::span<const double> row, RowForm form = RowForm::fused);
// weights, biases: as long as the row.
template <class T>
std::vector<Wanted> layer_norm_wanted(std::span<const double> row, std::span<const float> weights,
                                      std::span<const float> biases, RowForm form = RowForm::fused);
template <class T>
std::vector<Wanted> rms_norm_wanted(std::span<const double> row, std::span<const float> weights,
                                    RowForm form = RowForm::fused);

// What the operations on rows cost by definition, in operations and bytes. A fused kernel reads the rows once and
// writes them once; a chain pays for each of its links. Parameters are single precision; so are the values that a chain
// keeps a row (means, roots).

// A row: columns - 1 comparisons, subtractions, exps, columns - 1 additions, one reciprocal, multiplications.
constexpr OperatorCost softmax_cost(RowsShape shape, std::size_t value_bytes) {
  const std::size_t values = shape.rows * shape.columns;
  return {operations(shape.rows * (5 * shape.columns - 1)), bytes_of(values, value_bytes),
          bytes_of(values, value_bytes)};
}

// A row of n: sum n-1 and division; n subtractions, n squares, sum n-1 and division; epsilon, root, reciprocal; then n
// of each of normalization, weight and bias.
constexpr OperatorCost layer_norm_cost(RowsShape shape, std::size_t value_bytes) {
  const std::size_t values = shape.rows * shape.columns;
  return {operations(shape.rows * (7 * shape.columns + 3)), bytes_of(values, value_bytes) + floats(2 * shape.columns),
          bytes_of(values, value_bytes)};
}

// A row of n: n squares, sum n-1 and division; epsilon, root, reciprocal; then n of normalization and weight.
constexpr OperatorCost rms_norm_cost(RowsShape shape, std::size_t value_bytes) {
  const std::size_t values = shape.rows * shape.columns;
  return {operations(shape.rows * (4 * shape.columns + 3)), bytes_of(values, value_bytes) + floats(shape.columns),
          bytes_of(values, value_bytes)};
}

// Softmax in links: largest; subtract; exp; sum; divide. Reads the matrix five times and writes it three times; the
// largest and the sum of each row are written and read once each.
constexpr OperatorCost softmax_chain_cost(RowsShape shape, std::size_t value_bytes) {
  const std::size_t values = shape.rows * shape.columns;
  return {softmax_cost(shape, value_bytes).flops, bytes_of(5 * values, value_bytes) + floats(2 * shape.rows),
          bytes_of(3 * values, value_bytes) + floats(2 * shape.rows)};
}

// Mean; subtract; square and mean; scale by the root's reciprocal; times weights; plus biases. Six reads and four
// writes of the matrix.
constexpr OperatorCost layer_norm_chain_cost(RowsShape shape, std::size_t value_bytes) {
  const std::size_t values = shape.rows * shape.columns;
  return {layer_norm_cost(shape, value_bytes).flops,
          bytes_of(6 * values, value_bytes) + floats(2 * shape.rows + 2 * shape.columns),
          bytes_of(4 * values, value_bytes) + floats(2 * shape.rows)};
}

// Square and mean; scale by the root's reciprocal; times weights. Three reads and two writes of the matrix.
constexpr OperatorCost rms_norm_chain_cost(RowsShape shape, std::size_t value_bytes) {
  const std::size_t values = shape.rows * shape.columns;
  return {rms_norm_cost(shape, value_bytes).flops,
          bytes_of(3 * values, value_bytes) + floats(shape.rows + shape.columns),
          bytes_of(2 * values, value_bytes) + floats(shape.rows)};
}

}  // namespace steelyard::cuda_suite
