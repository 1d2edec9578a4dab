#include "bench/suites/cpu/cdist.hpp"

#include <cblas.h>

#include <cassert>
#include <cmath>

namespace steelyard::cpu_suite {
namespace {

float squared_norm(const float* row, std::size_t n) {
  float sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += row[i] * row[i];
  return sum;
}

}  // namespace

void cdist_product(CdistShape shape, std::span<const float> left, std::span<const float> right, std::span<float> norms,
                   std::span<float> distances) {
  assert(norms.size() == shape.rights && distances.size() == shape.lefts * shape.rights);
  for (std::size_t j = 0; j < shape.rights; ++j) norms[j] = squared_norm(&right[j * shape.dim], shape.dim);
  for (std::size_t i = 0; i < shape.lefts; ++i) {
    const float own = squared_norm(&left[i * shape.dim], shape.dim);
    for (std::size_t j = 0; j < shape.rights; ++j) distances[i * shape.rights + j] = own + norms[j];
  }
  const auto dim = static_cast<blasint>(shape.dim);
  const auto rights = static_cast<blasint>(shape.rights);
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, static_cast<blasint>(shape.lefts), rights, dim, -2.0f,
              left.data(), dim, right.data(), dim, 1.0f, distances.data(), rights);
  // Rounding may leave a small negative number where two rows are equal. A NaN stays one.
  for (float& value : distances) value = std::sqrt(value < 0 ? 0.0f : value);
}

void cdist_direct(CdistShape shape, std::span<const float> left, std::span<const float> right,
                  std::span<float> distances) {
  for (std::size_t i = 0; i < shape.lefts; ++i) {
    for (std::size_t j = 0; j < shape.rights; ++j) {
      const float* a = &left[i * shape.dim];
      const float* b = &right[j * shape.dim];
      float sum = 0;
      for (std::size_t k = 0; k < shape.dim; ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
      distances[i * shape.rights + j] = std::sqrt(sum);
    }
  }
}

std::vector<double> cdist_reference(CdistShape shape, std::span<const float> left, std::span<const float> right) {
  std::vector<double> distances(shape.lefts * shape.rights);
  for (std::size_t i = 0; i < shape.lefts; ++i) {
    for (std::size_t j = 0; j < shape.rights; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < shape.dim; ++k) {
        const double off = static_cast<double>(left[i * shape.dim + k]) - static_cast<double>(right[j * shape.dim + k]);
        sum += off * off;
      }
      distances[i * shape.rights + j] = std::sqrt(sum);
    }
  }
  return distances;
}

}  // namespace steelyard::cpu_suite
