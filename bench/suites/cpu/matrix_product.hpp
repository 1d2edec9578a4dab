// Products with a matrix, by OpenBLAS: of a matrix and a vector (GEMV), of two matrices (GEMM).
#pragma once

#include <span>
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

}  // namespace steelyard::cpu_suite
