// In what a matrix product is computed: how its operands and its results lie in memory, and how far a sum may be off.
//
// The reference is the exact sum of products of the operands as they lie on the device, in float64. So the rounding of
// inputs is no error. What is left, relative to m, the magnitude of the partial sums (dot_product):
//   rounding of operands   tf32 keeps 10 bits of fraction, by rounding or by cutting: each operand is off by 2^-10
//   accumulation           see sum_error()
//   rounding of the result once, relative to the result (unit_roundoff)
#pragma once

#include <cmath>
#include <span>
#include <string_view>

#include "bench/harness/operator_cost.hpp"
#include "bench/suites/cuda/products/number_format.hpp"

namespace steelyard::cuda_suite {

struct ProductType {
  std::string_view dtype;  // the axis's value
  NumberFormat operands = NumberFormat::f32;
  NumberFormat results = NumberFormat::f32;
  double operand_error = 0;       // relative, of each
  double step_error = 0;          // of one accumulation, relative to the partial sum
  std::size_t step_length = 1;    // products that one accumulation adds
  bool rounds_to_nearest = true;  // else the unit cuts, and errors add up with one sign
};

// f32 tf32 f16 bf16 f8 i8, in this order.
std::span<const ProductType> product_types();
// Null: there is none of this name.
const ProductType* find_product_type(std::string_view dtype);

// How far a sum of `inner` products may be off, relative to the magnitude of its partial sums:
//  - rounding to nearest: 4 sqrt(steps) u, a random walk at four deviations (Higham and Mary, A New Approach to
//    Probabilistic Rounding Error Analysis, 2019, theorem 2.4, lambda = 4);
//  - cutting, as tensor cores do (Fasi, Higham, Mikaitis and Pranesh, Numerical Behavior of NVIDIA Tensor Cores, 2021):
//    steps * u, every error in one direction. u is 2^-23 for sums in single precision; tensor cores of 8-bit operands
//    keep 14 bits of fraction with fast accumulation (DeepSeek-V3 Technical Report, 2024, section 3.3.2): 2^-13.
double sum_error(const ProductType& type, std::size_t inner);

// Of products of n x k and k x m matrices, `batch` of them.
constexpr OperatorCost product_cost(const ProductType& type, ProductExtent extent) {
  const std::size_t read = extent.batch * extent.inner * (extent.rows + extent.columns);
  const std::size_t written = extent.batch * extent.rows * extent.columns;
  return {operations(2 * written * extent.inner), bytes_of(read, size_of(type.operands)),
          bytes_of(written, size_of(type.results))};
}

}  // namespace steelyard::cuda_suite
