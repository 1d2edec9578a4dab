#include "bench/suites/cuda/products/number_format.hpp"

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

}  // namespace steelyard::cuda_suite
