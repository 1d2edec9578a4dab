#include "bench/harness/fuzz/dtype.hpp"

#include <array>
#include <bit>
#include <cmath>

namespace steelyard {
namespace {

struct DtypeRow {
  Dtype dtype;
  std::string_view name;
  std::int64_t bytes;
};

constexpr std::array<DtypeRow, 11> kDtypes{{
    {Dtype::f64, "f64", 8},
    {Dtype::f32, "f32", 4},
    {Dtype::f16, "f16", 2},
    {Dtype::bf16, "bf16", 2},
    {Dtype::i64, "i64", 8},
    {Dtype::i32, "i32", 4},
    {Dtype::i8, "i8", 1},
    {Dtype::u8, "u8", 1},
    {Dtype::boolean, "bool", 1},
    {Dtype::c64, "c64", 8},
    {Dtype::c128, "c128", 16},
}};
static_assert(sizeof(bool) == 1);

const DtypeRow& row_of(Dtype dtype) {
  for (const DtypeRow& row : kDtypes) {
    if (row.dtype == dtype) return row;
  }
  return kDtypes.front();
}

}  // namespace

float to_float(BFloat16 value) { return std::bit_cast<float>(std::uint32_t{value.bits} << 16U); }

float to_float(Half value) {
  constexpr int kFractionBits = 10;
  constexpr int kBias = 15;
  const int exponent = (value.bits >> kFractionBits) & 31;
  const int fraction = value.bits & 1023;
  float magnitude = 0;
  if (exponent == 31) {
    magnitude = fraction == 0 ? HUGE_VALF : std::nanf("");
  } else if (exponent == 0) {
    magnitude = std::ldexp(static_cast<float>(fraction), 1 - kBias - kFractionBits);
  } else {
    magnitude = std::ldexp(static_cast<float>(1024 + fraction), exponent - kBias - kFractionBits);
  }
  return (value.bits & 0x8000U) != 0 ? -magnitude : magnitude;
}

std::int64_t bytes_of(Dtype dtype) { return row_of(dtype).bytes; }
std::string_view to_text(Dtype dtype) { return row_of(dtype).name; }

std::optional<Dtype> parse_dtype(std::string_view text) {
  for (const DtypeRow& row : kDtypes) {
    if (row.name == text) return row.dtype;
  }
  return std::nullopt;
}

std::string dtype_names() {
  std::string names;
  for (const DtypeRow& row : kDtypes) names += (names.empty() ? "" : ", ") + std::string(row.name);
  return names;
}

}  // namespace steelyard
