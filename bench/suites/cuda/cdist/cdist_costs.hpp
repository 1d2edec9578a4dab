// What distances cost by definition.
#pragma once

#include "bench/harness/operator_cost.hpp"
#include "bench/suites/cuda/cdist/cdist_tile.hpp"

namespace steelyard::cuda_suite {

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
