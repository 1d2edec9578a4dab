#include "bench/suites/cpu/matrix_product.hpp"

#include <cblas.h>

#include <cassert>

namespace steelyard::cpu_suite {

void gemv(ProductShape shape, std::span<const float> left, std::span<const float> right, std::span<float> product) {
  assert(shape.columns == 1);
  const auto rows = static_cast<blasint>(shape.rows);
  const auto inner = static_cast<blasint>(shape.inner);
  cblas_sgemv(CblasRowMajor, CblasNoTrans, rows, inner, 1.0f, left.data(), inner, right.data(), 1, 0.0f, product.data(),
              1);
}

void matmul(ProductShape shape, std::span<const float> left, std::span<const float> right, std::span<float> product) {
  const auto rows = static_cast<blasint>(shape.rows);
  const auto inner = static_cast<blasint>(shape.inner);
  const auto columns = static_cast<blasint>(shape.columns);
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, columns, inner, 1.0f, left.data(), inner, right.data(),
              columns, 0.0f, product.data(), columns);
}

std::vector<double> matmul_reference(ProductShape shape, std::span<const float> left, std::span<const float> right) {
  std::vector<double> product(shape.rows * shape.columns);
  for (std::size_t i = 0; i < shape.rows; ++i) {
    for (std::size_t k = 0; k < shape.inner; ++k) {
      const double factor = left[i * shape.inner + k];
      for (std::size_t j = 0; j < shape.columns; ++j) {
        product[i * shape.columns + j] += factor * static_cast<double>(right[k * shape.columns + j]);
      }
    }
  }
  return product;
}

}  // namespace steelyard::cpu_suite
