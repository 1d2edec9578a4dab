// Derived numbers, held to as many digits as every machine agrees on. Additions, multiplications and roots give the
// same bits everywhere; logarithms, exponentials and the tails of distributions do not: a C library picks its variant
// by the processor (with fused multiply-add or without), and their last bit differs. So logarithms of samples are taken
// by our own code, which uses exact operations only, and what comes of a library's function is rounded, and judged as
// rounded: a verdict can then be computed again elsewhere, bit for bit (docs/guide/verify.md).
#pragma once

#include <optional>

#include "bench/model/interval.hpp"

namespace steelyard::regress {

// Of 15 to 17 that a double has. Two machines that differ in the last bits of it round to the same, but for a number
// that lies within those bits of the middle between two: one in ten thousand where they are 8 units in the last place.
inline constexpr int kSteadyDigits = 11;

// To kSteadyDigits significant decimal digits; 0, infinite and NaN stay.
double steady(double value);
std::optional<double> steady(const std::optional<double>& value);
std::optional<Interval> steady(const std::optional<Interval>& interval);

// Natural logarithm and exponential, the same bits on every machine with IEEE 754 doubles; within 2 units in the last
// place. steady_log's precondition: value is positive and finite. steady_exp: beyond the range of a double 0 or
// infinite.
double steady_log(double value);
double steady_exp(double value);
inline double steady_log1p(double value) { return steady_log(1 + value); }  // of shares, not of what is near 0
inline double steady_expm1(double value) { return steady_exp(value) - 1; }
// The length of the hypotenuse: the library's may be fused.
double steady_hypot(double a, double b);

}  // namespace steelyard::regress
