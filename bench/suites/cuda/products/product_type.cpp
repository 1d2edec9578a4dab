#include "bench/suites/cuda/products/product_type.hpp"

#include <algorithm>
#include <array>

namespace steelyard::cuda_suite {
namespace {

using F = NumberFormat;

// Steps: the products that the smallest matrix instruction of any device adds at once (8 in half precision on sm80, 4
// in tf32), so that no device takes more steps; of 8-bit floats half of what sm90 adds at once.
constexpr std::array<ProductType, 6> kTypes{{
    {.dtype = "f32", .operands = F::f32, .results = F::f32, .step_error = 0x1p-24},
    {.dtype = "tf32",
     .operands = F::f32,
     .results = F::f32,
     .operand_error = 0x1p-10,
     .step_error = 0x1p-23,
     .step_length = 4,
     .rounds_to_nearest = false},
    {.dtype = "f16",
     .operands = F::f16,
     .results = F::f16,
     .step_error = 0x1p-23,
     .step_length = 8,
     .rounds_to_nearest = false},
    {.dtype = "bf16",
     .operands = F::bf16,
     .results = F::bf16,
     .step_error = 0x1p-23,
     .step_length = 8,
     .rounds_to_nearest = false},
    {.dtype = "f8",
     .operands = F::e4m3,
     .results = F::bf16,
     .step_error = 0x1p-13,
     .step_length = 16,
     .rounds_to_nearest = false},
    {.dtype = "i8", .operands = F::s8, .results = F::s32},
}};

}  // namespace

std::span<const ProductType> product_types() { return kTypes; }

const ProductType* find_product_type(std::string_view dtype) {
  const auto* found =
      std::find_if(kTypes.begin(), kTypes.end(), [&](const ProductType& type) { return type.dtype == dtype; });
  return found == kTypes.end() ? nullptr : found;
}

double sum_error(const ProductType& type, std::size_t inner) {
  const double steps = std::ceil(static_cast<double>(inner) / static_cast<double>(type.step_length)) + 1;
  const double accumulation = type.rounds_to_nearest ? 4 * std::sqrt(steps) * type.step_error : steps * type.step_error;
  return 2 * type.operand_error + accumulation;
}

}  // namespace steelyard::cuda_suite
