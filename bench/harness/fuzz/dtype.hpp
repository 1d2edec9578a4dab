// What one element of a typed buffer is. A dtype names storage, not arithmetic: a CPU that cannot calculate in bf16 can
// hold it.
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace steelyard {

enum class Dtype { f64, f32, f16, bf16, i64, i32, i8, u8, boolean, c64, c128 };

// IEEE 754 binary16 and the upper half of binary32, as bits: neither has a C++20 type.
struct Half {
  std::uint16_t bits = 0;
  bool operator==(const Half&) const = default;
};
struct BFloat16 {
  std::uint16_t bits = 0;
  bool operator==(const BFloat16&) const = default;
};
// Exact: every value of both has one in binary32.
float to_float(Half value);
float to_float(BFloat16 value);

std::int64_t bytes_of(Dtype dtype);     // of one element
std::string_view to_text(Dtype dtype);  // "f32", "bool", ...
std::optional<Dtype> parse_dtype(std::string_view text);
std::string dtype_names();  // "f64, f32, ...", for messages

// The dtype that a C++ type holds; absent for all others. f16 is Half, bf16 is BFloat16, c64 is std::complex<float>.
template <class T>
constexpr std::optional<Dtype> dtype_of();
template <>
constexpr std::optional<Dtype> dtype_of<double>() {
  return Dtype::f64;
}
template <>
constexpr std::optional<Dtype> dtype_of<float>() {
  return Dtype::f32;
}
template <>
constexpr std::optional<Dtype> dtype_of<Half>() {
  return Dtype::f16;
}
template <>
constexpr std::optional<Dtype> dtype_of<BFloat16>() {
  return Dtype::bf16;
}
template <>
constexpr std::optional<Dtype> dtype_of<std::int64_t>() {
  return Dtype::i64;
}
template <>
constexpr std::optional<Dtype> dtype_of<std::int32_t>() {
  return Dtype::i32;
}
template <>
constexpr std::optional<Dtype> dtype_of<std::int8_t>() {
  return Dtype::i8;
}
template <>
constexpr std::optional<Dtype> dtype_of<std::uint8_t>() {
  return Dtype::u8;
}
template <>
constexpr std::optional<Dtype> dtype_of<bool>() {
  return Dtype::boolean;
}
template <>
constexpr std::optional<Dtype> dtype_of<std::complex<float>>() {
  return Dtype::c64;
}
template <>
constexpr std::optional<Dtype> dtype_of<std::complex<double>>() {
  return Dtype::c128;
}

}  // namespace steelyard
