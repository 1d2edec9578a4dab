#include "bench/suites/cuda/elementwise/elementwise_references.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace steelyard::cuda_suite {

template <class T>
Wanted add_wanted(double a, double b) {
  const double value = a + b;
  return {value, rounded_bound<T>(std::fabs(value), float_growth(1) * std::fabs(value))};
}

namespace {

// The argument 2u of the exponential, which tanh has half of.
double argument(double x) { return 2 * std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x); }

}  // namespace

// Not by 1 + tanh: it cancels for negative x.
double gelu_in_double(double x) { return x / (1 + std::exp(-argument(x))); }

// The argument is off by six roundings, which the exponential makes a relative error of that many times the argument;
// the exponential adds 2^-22, the sum 1, the reciprocal 2 and the product 1 unit roundoff. What the
// exponential is off by counts as its share of 1 + e^-2u. Where the reciprocal falls below the smallest normal number
// it may be 0.
template <class T>
Wanted gelu_wanted(double x) {
  const double value = gelu_in_double(x);
  const double power = std::fabs(argument(x));
  const double share = 1 / (1 + std::exp(argument(x)));
  const double relative = share * std::expm1(std::min(float_growth(8 * power + 4), 1.0)) + float_growth(4);
  return {value,
          rounded_bound<T>(std::fabs(value), std::fabs(value) * relative + std::fabs(x) * kRoundoffFloor<float>)};
}

// With v the unit roundoff of T: tanh's argument u is off by at most 6 v |u| (a square, a cube, two constants, a sum,
// and the constants' own roundings), so tanh by 6 v |u| / cosh(u)^2 and, rounded, by v more; 1 + tanh is rounded, by v
// (1 + tanh) at most; and so are x / 2 and the product. Near tanh = -1 the value itself is lost: the bound is absolute
// there.
template <class T>
Wanted gelu_chain_wanted(double x) {
  const double value = gelu_in_double(x);
  const double v = 1.05 * kUnitRoundoff<T>;
  const double u = argument(x) / 2;
  const double slope = 1 / (std::cosh(std::min(std::fabs(u), 300.0)) * std::cosh(std::min(std::fabs(u), 300.0)));
  // With a large enough error of the argument the slope beside u counts, not at u: tanh moves by at most 2.
  const double moved = std::min(2.0, 6 * v * std::fabs(u) * std::min(1.0, slope * std::exp(12 * v * std::fabs(u))));
  const double factor = moved + v + v * (1 + std::tanh(u) + moved + v);
  const double error = 0.5 * std::fabs(x) * factor + float_growth(12) * std::fabs(x) + 2 * v * std::fabs(value) +
                       std::fabs(x) * kRoundoffFloor<T>;
  return {value, rounded_bound<T>(std::fabs(value), error)};
}

#define STEELYARD_ELEMENTWISE_REFERENCES(T)      \
  template Wanted add_wanted<T>(double, double); \
  template Wanted gelu_wanted<T>(double);        \
  template Wanted gelu_chain_wanted<T>(double);
STEELYARD_ELEMENTWISE_REFERENCES(float)
STEELYARD_ELEMENTWISE_REFERENCES(F16)
STEELYARD_ELEMENTWISE_REFERENCES(Bf16)
#undef STEELYARD_ELEMENTWISE_REFERENCES

}  // namespace steelyard::cuda_suite
