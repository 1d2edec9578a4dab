// Products with a matrix, by OpenBLAS: of a matrix and a vector (GEMV), of two matrices (GEMM).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/harness/operator_cost.hpp"

namespace steelyard::cpu_suite {

// left: rows x inner, right: inner x columns, product: rows x columns, each row by row.
struct ProductShape {
  std::size_t rows = 0;
  std::size_t inner = 0;
  std::size_t columns = 1;
};

// A square matrix times another.
constexpr ProductShape square(std::size_t n) { return {.rows = n, .inner = n, .columns = n}; }

// Precondition: shape.columns == 1; `right` and `product` are vectors.
void gemv(ProductShape shape, std::span<const float> left, std::span<const float> right, std::span<float> product);
void matmul(ProductShape shape, std::span<const float> left, std::span<const float> right, std::span<float> product);

std::vector<double> matmul_reference(ProductShape shape, std::span<const float> left, std::span<const float> right);

constexpr OperatorCost matmul_cost(ProductShape shape) {
  return mm_cost({.rows = shape.rows, .inner = shape.inner, .columns = shape.columns});
}

// Whether a large matrix product is right, without a second product: n^2 work in place of n^3.
//
// Two checks. Freivalds (Probabilistic Machines Can Use Less Running Time, 1977): the product times a random vector of
// 1 and -1 is compared with left * (right * vector), all in double, row by row; every value of the product takes part,
// and one that is off by more than twice the tolerance is always found. And a sample of the product's values, each
// against its own dot product in double, to the tighter tolerance that one value deserves.

inline constexpr std::size_t kSampledValues = 256;

// Absent where the product of values in [-1, 1] is right; else what is off, in words. The seed chooses vector and
// sample.
std::optional<std::string> product_fault(ProductShape shape, std::span<const float> left, std::span<const float> right,
                                         std::span<const float> product, std::uint32_t seed);

// The dot products of many pairs of short vectors, in the two ways that people write it: multiply everything and then
// sum, or one general matrix product (1 x n by n x 1) a pair.

struct BatchedDotShape {
  std::size_t batch = 0;   // pairs
  std::size_t length = 0;  // of each vector
};

// left, right: batch x length, row by row; results: batch values; products: batch x length of scratch space.
void batched_dot_multiply_sum(BatchedDotShape shape, std::span<const float> left, std::span<const float> right,
                              std::span<float> products, std::span<float> results);
void batched_dot_gemm(BatchedDotShape shape, std::span<const float> left, std::span<const float> right,
                      std::span<float> results);

std::vector<double> batched_dot_reference(BatchedDotShape shape, std::span<const float> left,
                                          std::span<const float> right);

// The same work is declared for both, so that their rates compare. Two operators: the product, written and read back.
constexpr OperatorCost batched_dot_multiply_sum_cost(BatchedDotShape shape) {
  const std::size_t values = shape.batch * shape.length;
  return OperatorCost{operations(values), floats(2 * values), floats(values)} +
         OperatorCost{operations(values), floats(values), floats(shape.batch)};
}
constexpr OperatorCost batched_dot_gemm_cost(BatchedDotShape shape) {
  const std::size_t values = shape.batch * shape.length;
  return {operations(2 * values), floats(2 * values), floats(shape.batch)};
}

// Euclidean distances between each row of one matrix and each row of another, in the two ways that libraries choose
// between: by |x|^2 + |y|^2 - 2 xy with one matrix product, and by the differences themselves. The product is much
// faster and loses digits where two rows are close: it subtracts large numbers.

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
