#include "regress/ab/steady_digits.hpp"

#include <array>
#include <cassert>
#include <charconv>
#include <cmath>
#include <limits>

namespace steelyard::regress {
namespace {

// ln 2 in two parts: multiples of the first up to 2^11 are exact, because its last 21 bits are 0 (W. J. Cody and
// W. Waite, Software Manual for the Elementary Functions, 1980).
constexpr double kLn2High = 0x1.62e42fee00000p-1;
constexpr double kLn2Low = 0x1.a39ef35793c76p-33;

// 1/3, 1/5, ..., 1/23.
constexpr auto kInverseOdd = [] {
  std::array<double, 12> inverse{};
  for (int i = 1; i < 12; ++i) inverse[static_cast<std::size_t>(i)] = 1.0 / (2 * i + 1);
  return inverse;
}();

// The sum of s^(2i+1) / (2i+1) over i >= 1, for |s| <= 0.172: what is left out is below 2^-62 of s.
double atanh_tail(double s) {
  const double square = s * s;
  double sum = 0;
  for (std::size_t i = 11; i >= 1; --i) sum = square * (sum + kInverseOdd[i]);
  return s * sum;
}

}  // namespace

double steady(double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  std::array<char, 40> text{};
  const auto written =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific, kSteadyDigits - 1);
  double rounded = value;
  const auto read = std::from_chars(text.data(), written.ptr, rounded);
  // The largest doubles round to what is none.
  return read.ec == std::errc() ? rounded : value;
}

std::optional<double> steady(const std::optional<double>& value) {
  return value ? std::optional(steady(*value)) : std::nullopt;
}

std::optional<Interval> steady(const std::optional<Interval>& interval) {
  if (!interval) return std::nullopt;
  return Interval{steady(interval->low), steady(interval->high)};
}

// ln(2^k m) = k ln 2 + 2 atanh((m - 1) / (m + 1)), with m between the root of a half and that of two.
double steady_log(double value) {
  assert(value > 0 && std::isfinite(value));
  int exponent = 0;
  double mantissa = std::frexp(value, &exponent);
  if (mantissa < 0x1.6a09e667f3bcdp-1) {
    mantissa *= 2;
    --exponent;
  }
  const double s = (mantissa - 1) / (mantissa + 1);
  const double k = exponent;
  return k * kLn2High + (2 * s + (2 * atanh_tail(s) + k * kLn2Low));
}

double steady_hypot(double a, double b) { return std::sqrt(a * a + b * b); }

// e^x = 2^k e^r with |r| <= ln 2 / 2, by its series.
double steady_exp(double value) {
  if (std::isnan(value)) return value;
  if (value > 710) return std::numeric_limits<double>::infinity();
  if (value < -746) return 0;
  const double k = std::floor(value / kLn2High + 0.5);
  const double r = (value - k * kLn2High) - k * kLn2Low;
  double sum = 0;
  for (int i = 18; i >= 2; --i) sum = (sum + 1) * r / i;
  return std::ldexp(1 + (r + r * sum), static_cast<int>(k));
}

}  // namespace steelyard::regress
