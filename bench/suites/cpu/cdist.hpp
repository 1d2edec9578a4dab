// Euclidean distances between each row of one matrix and each row of another, in the two ways that libraries choose
// between: by |x|^2 + |y|^2 - 2 xy with one matrix product, and by the differences themselves. The product is much
// faster and loses digits where two rows are close: it subtracts large numbers.
#pragma once

#include <span>
#include <vector>

#include "bench/harness/operator_cost.hpp"

namespace steelyard::cpu_suite {

struct CdistShape {
  std::size_t lefts = 0;   // rows of the left matrix
  std::size_t rights = 0;  // rows of the right one
  std::size_t dim = 0;     // columns of both
};

// distances: lefts x rights, row by row; norms: rights values of scratch space.
void cdist_product(CdistShape shape, std::span<const float> left, std::span<const float> right, std::span<float> norms,
                   std::span<float> distances);
void cdist_direct(CdistShape shape, std::span<const float> left, std::span<const float> right,
                  std::span<float> distances);

std::vector<double> cdist_reference(CdistShape shape, std::span<const float> left, std::span<const float> right);

// A distance: a subtraction, a square and an addition a column, and a root. As one operator.
constexpr OperatorCost cdist_direct_cost(CdistShape shape) {
  const std::size_t results = shape.lefts * shape.rights;
  return {operations(results * (3 * shape.dim + 1)), floats((shape.lefts + shape.rights) * shape.dim), floats(results)};
}

// Squared norms of both (a product with itself a row), their sums in place of the distances, the product added to them,
// and the roots with the bound at 0, in place.
constexpr OperatorCost cdist_product_cost(CdistShape shape) {
  const std::size_t results = shape.lefts * shape.rights;
  const std::size_t rows = shape.lefts + shape.rights;
  const OperatorCost norms{operations(2 * rows * shape.dim), floats(rows * shape.dim), floats(rows)};
  const OperatorCost sums{operations(results), floats(rows), floats(results)};
  const OperatorCost roots{operations(2 * results), floats(results), floats(results)};
  return norms + sums + addmm_cost({.rows = shape.lefts, .inner = shape.dim, .columns = shape.rights}, results) + roots;
}

}  // namespace steelyard::cpu_suite
