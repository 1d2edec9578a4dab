#include "bench/suites/cuda/products/product_type.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstring>

namespace steelyard::cuda_suite {
namespace {

double value_of(float value) { return static_cast<double>(value); }
double value_of(std::int32_t value) { return static_cast<double>(value); }
double value_of(std::int8_t value) { return static_cast<double>(value); }
template <class T>
double value_of(T narrow) {
  return static_cast<double>(widened(narrow));
}

template <class T, class Take>
void for_each(std::span<const std::byte> bytes, Take take) {
  assert(bytes.size() % sizeof(T) == 0);
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(T)) {
    T one;
    std::memcpy(&one, bytes.data() + at, sizeof(T));
    if (!take(value_of(one))) return;
  }
}

template <class Take>
void for_each(NumberFormat format, std::span<const std::byte> bytes, Take take) {
  switch (format) {
    case NumberFormat::f32:
      return for_each<float>(bytes, take);
    case NumberFormat::f16:
      return for_each<F16>(bytes, take);
    case NumberFormat::bf16:
      return for_each<Bf16>(bytes, take);
    case NumberFormat::e4m3:
      return for_each<E4m3>(bytes, take);
    case NumberFormat::s8:
      return for_each<std::int8_t>(bytes, take);
    case NumberFormat::s32:
      return for_each<std::int32_t>(bytes, take);
  }
}

}  // namespace

std::string_view to_text(NumberFormat format) {
  switch (format) {
    case NumberFormat::f32:
      return "f32";
    case NumberFormat::f16:
      return "f16";
    case NumberFormat::bf16:
      return "bf16";
    case NumberFormat::e4m3:
      return "e4m3";
    case NumberFormat::s8:
      return "s8";
    case NumberFormat::s32:
      return "s32";
  }
  return "";
}

double unit_roundoff(NumberFormat format) {
  switch (format) {
    case NumberFormat::f32:
      return kUnitRoundoff<float>;
    case NumberFormat::f16:
      return kUnitRoundoff<F16>;
    case NumberFormat::bf16:
      return kUnitRoundoff<Bf16>;
    case NumberFormat::e4m3:
      return kUnitRoundoff<E4m3>;
    case NumberFormat::s8:
    case NumberFormat::s32:
      return 0;
  }
  return 0;
}

std::vector<double> decoded(NumberFormat format, std::span<const std::byte> bytes) {
  std::vector<double> values;
  values.reserve(bytes.size() / size_of(format));
  for_each(format, bytes, [&](double value) {
    values.push_back(value);
    return true;
  });
  return values;
}

std::size_t first_unwritten(NumberFormat format, std::span<const std::byte> bytes) {
  const double poison = static_cast<double>(static_cast<std::int32_t>(0x80808080u));
  std::size_t index = 0;
  for_each(format, bytes, [&](double value) {
    if (std::isnan(value) || (format == NumberFormat::s32 && value == poison)) return false;
    ++index;
    return true;
  });
  return index;
}

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
