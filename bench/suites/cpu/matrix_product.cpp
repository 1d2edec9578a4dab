#include "bench/suites/cpu/matrix_product.hpp"

#include <cblas.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <random>

#include "bench/suites/cpu/agreement.hpp"

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

namespace {

// matrix: rows x vector.size(), row by row.
std::vector<double> times_vector(std::span<const float> matrix, std::span<const double> vector, std::size_t rows) {
  std::vector<double> result(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    const float* line = matrix.data() + row * vector.size();
    // Four sums, which do not wait for each other: the check of a large product is most of its setup.
    std::array<double, 4> sums{};
    std::size_t i = 0;
    for (; i + 4 <= vector.size(); i += 4) {
      for (std::size_t lane = 0; lane < 4; ++lane) sums[lane] += static_cast<double>(line[i + lane]) * vector[i + lane];
    }
    for (; i < vector.size(); ++i) sums[0] += static_cast<double>(line[i]) * vector[i];
    result[row] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }
  return result;
}

std::optional<std::string> row_fault(ProductShape shape, std::span<const float> left, std::span<const float> right,
                                     std::span<const float> product, std::mt19937& engine) {
  std::vector<double> signs(shape.columns);
  for (double& sign : signs) sign = engine() >> 31 == 0 ? 1.0 : -1.0;
  const std::vector<double> wanted = times_vector(left, times_vector(right, signs, shape.inner), shape.rows);
  const std::vector<double> found = times_vector(product, signs, shape.rows);
  // A value's rounding is about u * inner (see dot_tolerance: sqrt(inner) u times a sum of magnitudes that itself grows
  // as inner / 4 is a bound for the unlucky); over a row the errors add as a random walk.
  const double tolerance =
      std::ldexp(static_cast<double>(shape.inner), -24) * std::sqrt(static_cast<double>(shape.columns));
  for (std::size_t row = 0; row < shape.rows; ++row) {
    if (std::abs(found[row] - wanted[row]) <= tolerance) continue;
    std::array<char, 160> text{};
    std::snprintf(text.data(), text.size(),
                  "row %zu of the product times a vector of signs is %.9g, wanted %.9g within %.3g", row, found[row],
                  wanted[row], tolerance);
    return text.data();
  }
  return std::nullopt;
}

std::optional<std::string> sample_fault(ProductShape shape, std::span<const float> left, std::span<const float> right,
                                        std::span<const float> product, std::mt19937& engine) {
  std::vector<float> answers;
  std::vector<double> wanted;
  for (std::size_t n = 0; n < kSampledValues; ++n) {
    const std::size_t row = engine() % shape.rows;
    const std::size_t column = engine() % shape.columns;
    double sum = 0;
    for (std::size_t k = 0; k < shape.inner; ++k) {
      sum += static_cast<double>(left[row * shape.inner + k]) * static_cast<double>(right[k * shape.columns + column]);
    }
    answers.push_back(product[row * shape.columns + column]);
    wanted.push_back(sum);
  }
  const double tolerance = std::min(dot_tolerance(shape.inner), std::ldexp(static_cast<double>(shape.inner), -24));
  return disagreement(answers, wanted, tolerance);
}

}  // namespace

std::optional<std::string> product_fault(ProductShape shape, std::span<const float> left, std::span<const float> right,
                                         std::span<const float> product, std::uint32_t seed) {
  if (product.size() != shape.rows * shape.columns) {
    return "the product has " + std::to_string(product.size()) + " values, wanted " +
           std::to_string(shape.rows * shape.columns);
  }
  if (product.empty()) return std::nullopt;
  std::mt19937 engine(seed);
  if (auto fault = row_fault(shape, left, right, product, engine)) return fault;
  return sample_fault(shape, left, right, product, engine);
}

void batched_dot_multiply_sum(BatchedDotShape shape, std::span<const float> left, std::span<const float> right,
                              std::span<float> products, std::span<float> results) {
  for (std::size_t i = 0; i < shape.batch * shape.length; ++i) products[i] = left[i] * right[i];
  for (std::size_t pair = 0; pair < shape.batch; ++pair) {
    float sum = 0;
    for (std::size_t i = 0; i < shape.length; ++i) sum += products[pair * shape.length + i];
    results[pair] = sum;
  }
}

void batched_dot_gemm(BatchedDotShape shape, std::span<const float> left, std::span<const float> right,
                      std::span<float> results) {
  const auto n = static_cast<blasint>(shape.length);
  for (std::size_t pair = 0; pair < shape.batch; ++pair) {
    const std::size_t start = pair * shape.length;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, 1, 1, n, 1.0f, &left[start], n, &right[start], 1, 0.0f,
                &results[pair], 1);
  }
}

std::vector<double> batched_dot_reference(BatchedDotShape shape, std::span<const float> left,
                                          std::span<const float> right) {
  std::vector<double> results(shape.batch);
  for (std::size_t i = 0; i < shape.batch * shape.length; ++i) {
    results[i / shape.length] += static_cast<double>(left[i]) * static_cast<double>(right[i]);
  }
  return results;
}

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
