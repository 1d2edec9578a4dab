// One distance in double precision, with the bound of a kernel's answer.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "bench/harness/operator_cost.hpp"
#include "bench/suites/cuda/arithmetic/answer_check.hpp"
#include "bench/suites/cuda/cdist/cdist_kernels.hpp"

namespace steelyard::cuda_suite {

// Fused. A difference is off by one rounding, its square by three, and a sum of positive terms by no more than its
// terms and its additions are, relative; the root halves that and adds one.
template <class T>
Wanted cdist_wanted(std::span<const double> left, std::span<const double> right) {
  double square = 0;
  for (std::size_t i = 0; i < left.size(); ++i) square += (left[i] - right[i]) * (left[i] - right[i]);
  const double distance = std::sqrt(square);
  const auto n = static_cast<double>(left.size());
  return {distance, rounded_bound<T>(distance, float_growth((n + 4) / 2 + 2) * distance)};
}

// By norms and products: off relative to these, not to the distance. A product of 16-bit rows on tensor cores, which
// cut 2^-23 of a partial sum every eight terms (product_type.hpp), stays within the bound of adding them one by one. An
// error e of the square s is one of the distance of at most e / root(s), or root(e) where the rows are close.
template <class T>
Wanted cdist_chain_wanted(std::span<const double> left, std::span<const double> right) {
  double square = 0;
  double magnitude = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    square += (left[i] - right[i]) * (left[i] - right[i]);
    magnitude += left[i] * left[i] + right[i] * right[i] + 2 * std::fabs(left[i] * right[i]);
  }
  const double distance = std::sqrt(square);
  const double off = float_growth(static_cast<double>(left.size()) + 14) * magnitude;
  const double error = std::min(std::sqrt(off), distance > 0 ? off / distance : std::sqrt(off));
  return {distance, rounded_bound<T>(distance, error + float_growth(2) * distance)};
}

// What distances cost by definition.

// Fused: a subtraction, a square and an addition a column, and a root, for each pair.
constexpr OperatorCost cdist_cost(CdistShape shape, std::size_t value_bytes) {
  const std::size_t results = shape.lefts * shape.rights;
  return {operations(results * (3 * shape.dim + 1)), bytes_of((shape.lefts + shape.rights) * shape.dim, value_bytes),
          bytes_of(results, value_bytes)};
}

// Squared norms of both matrices' rows; products, in single precision; norms' sum, bound at 0 and root.
constexpr OperatorCost cdist_chain_cost(CdistShape shape, std::size_t value_bytes) {
  const std::size_t results = shape.lefts * shape.rights;
  const std::size_t rows = shape.lefts + shape.rights;
  const OperatorCost norms{operations(2 * rows * shape.dim), bytes_of(rows * shape.dim, value_bytes), floats(rows)};
  const OperatorCost products{operations(2 * results * shape.dim), bytes_of(rows * shape.dim, value_bytes),
                              floats(results)};
  const OperatorCost roots{operations(3 * results), floats(results + rows), bytes_of(results, value_bytes)};
  return norms + products + roots;
}

}  // namespace steelyard::cuda_suite
