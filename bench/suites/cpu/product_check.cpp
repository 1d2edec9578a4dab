#include "bench/suites/cpu/product_check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "bench/suites/cpu/agreement.hpp"

namespace steelyard::cpu_suite {
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

}  // namespace steelyard::cpu_suite
