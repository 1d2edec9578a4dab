// Whether a matrix product is right, without computing all of it: rows and columns are drawn, one from each of up to 64
// bands of equal width, and the elements where they cross are held against the exact sums in float64. So of a product
// of 8192 x 8192 each block of 128 x 128 is met once. A block that was left out, added twice or taken from elsewhere is
// off by about the spread of a sum, many times what product_type.hpp allows.
//
//     Result<void> right = check_product({.name = "matmul", .rows = n, .columns = n, .inner = n, ...}, seed);
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "bench/suites/cuda/products/product_type.hpp"

namespace steelyard::cuda_suite {

struct DotProduct {
  double sum = 0;
  // What partial sums reach, in whatever order they are taken: |sum| + 4 s, where s, the root of the sum of squared
  // products, is the deviation of a sum of products with random signs.
  double magnitude = 0;
};
// Both of one length.
DotProduct dot_product(std::span<const double> left, std::span<const double> right);

// What becomes of a sum before it is stored: value = f(sum), and what f makes of an error of the sum.
struct Outcome {
  double value = 0;
  double slope = 1;  // |f'| at most, near the sum
  double error = 0;  // of f itself, absolute
};

using Values = std::vector<double>;

struct CheckedProduct {
  std::string name;  // for messages: "layer 3, gradient of the weights"
  const ProductType* type = nullptr;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t inner = 0;
  std::function<Values(std::size_t row)> left;      // `inner` values of a row of the left operand
  std::function<Values(std::size_t column)> right;  // `inner` values of a column of the right operand
  std::function<Values(std::size_t row)> result;    // `columns` values of a row of what was computed
  // What becomes of a sum; empty: the sum itself.
  std::function<Outcome(double sum, std::size_t row, std::size_t column)> then;
  std::size_t bands = 64;  // at most so many rows and so many columns
};

// Error (program): the worst element, by distance over bound.
Result<void> check_product(const CheckedProduct& product, std::uint64_t seed);

// The dot products of many pairs of vectors: some pairs are drawn.
struct CheckedDots {
  std::string name;
  const ProductType* type = nullptr;
  std::size_t batch = 0;
  std::function<Values(std::size_t pair)> left;
  std::function<Values(std::size_t pair)> right;
  std::function<double(std::size_t pair)> result;
  double product_error = 0;  // relative, where each product is rounded before it is summed
  std::size_t most = 64;     // pairs
};
Result<void> check_dots(const CheckedDots& dots, std::uint64_t seed);

// One index of each of min(bands, count) bands of 0 to count - 1, ascending.
std::vector<std::size_t> banded_indices(std::size_t count, std::size_t bands, std::uint64_t seed);

// How far a result may be from f(sum).
double product_bound(const ProductType& type, std::size_t inner, const DotProduct& dot, const Outcome& outcome);

}  // namespace steelyard::cuda_suite
