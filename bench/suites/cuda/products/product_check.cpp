#include "bench/suites/cuda/products/product_check.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <limits>

#include "bench/suites/cuda/arithmetic/seeded_inputs.hpp"

namespace steelyard::cuda_suite {
namespace {

std::string product_number(double value) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.9g", value);
  return text.data();
}

// Distance over bound: past 1 it is wrong, and so is a NaN.
double excess(double found, double wanted, double bound) {
  const double distance = std::fabs(found - wanted);
  if (distance <= bound) return bound > 0 ? distance / bound : 0;
  return std::isfinite(distance) && bound > 0 ? distance / bound : std::numeric_limits<double>::infinity();
}

// All compared elements, of which the worst is told.
class Comparison {
 public:
  void add(std::size_t row, std::size_t column, double found, const Outcome& wanted, double bound) {
    ++compared_;
    const double off = excess(found, wanted.value, bound);
    if (off <= 1) return;
    ++wrong_;
    if (off <= worst_) return;
    worst_ = off;
    where_ = ", row " + std::to_string(row) + ", column " + std::to_string(column);
    found_ = product_number(found);
    wanted_ = product_number(wanted.value) + " within " + product_number(bound);
  }
  Result<void> result(const std::string& name) const {
    if (wrong_ == 0) return {};
    return program_error(
        name + where_, found_, wanted_,
        std::to_string(wrong_) + " of " + std::to_string(compared_) + " compared values are wrong, this one most");
  }

 private:
  std::size_t compared_ = 0;
  std::size_t wrong_ = 0;
  double worst_ = 1;
  std::string where_;
  std::string found_;
  std::string wanted_;
};

}  // namespace

DotProduct dot_product(std::span<const double> left, std::span<const double> right) {
  assert(left.size() == right.size());
  double sum = 0;
  double squares = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const double product = left[i] * right[i];
    sum += product;
    squares += product * product;
  }
  return {sum, std::fabs(sum) + 4 * std::sqrt(squares)};
}

std::vector<std::size_t> banded_indices(std::size_t count, std::size_t bands, std::uint64_t seed) {
  const std::size_t wanted = std::min(count, bands);
  std::vector<std::size_t> indices;
  for (std::size_t band = 0; band < wanted; ++band) {
    const std::size_t begin = count * band / wanted;
    const std::size_t width = count * (band + 1) / wanted - begin;
    indices.push_back(begin + static_cast<std::size_t>(scrambled(seed, band) % width));
  }
  return indices;
}

double product_bound(const ProductType& type, std::size_t inner, const DotProduct& dot, const Outcome& outcome) {
  const double before = outcome.slope * sum_error(type, inner) * dot.magnitude + outcome.error;
  return before + unit_roundoff(type.results) * (std::fabs(outcome.value) + before);
}

Result<void> check_product(const CheckedProduct& product, std::uint64_t seed) {
  const auto rows = banded_indices(product.rows, product.bands, seed_of_operand(seed, 100));
  const auto columns = banded_indices(product.columns, product.bands, seed_of_operand(seed, 101));
  std::vector<Values> rights;
  for (const std::size_t column : columns) rights.push_back(product.right(column));
  Comparison comparison;
  for (const std::size_t row : rows) {
    const Values left = product.left(row);
    const Values results = product.result(row);
    if (left.size() != product.inner || results.size() != product.columns) {
      return bug_error(product.name, "a row of another length");
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (rights[i].size() != product.inner) return bug_error(product.name, "a column of another length");
      const DotProduct dot = dot_product(left, rights[i]);
      const Outcome wanted = product.then ? product.then(dot.sum, row, columns[i]) : Outcome{.value = dot.sum};
      comparison.add(row, columns[i], results[columns[i]], wanted,
                     product_bound(*product.type, product.inner, dot, wanted));
    }
  }
  return comparison.result(product.name);
}

Result<void> check_dots(const CheckedDots& dots, std::uint64_t seed) {
  Comparison comparison;
  for (const std::size_t row : banded_indices(dots.batch, dots.most, seed_of_operand(seed, 100))) {
    const Values left = dots.left(row);
    const Values right = dots.right(row);
    if (left.size() != right.size()) return bug_error(dots.name, "two vectors of unequal length");
    const DotProduct dot = dot_product(left, right);
    const Outcome wanted{.value = dot.sum, .error = dots.product_error * dot.magnitude};
    comparison.add(row, 0, dots.result(row), wanted, product_bound(*dots.type, left.size(), dot, wanted));
  }
  return comparison.result(dots.name);
}

}  // namespace steelyard::cuda_suite
