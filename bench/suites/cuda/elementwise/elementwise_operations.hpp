// Functions of one or two values, each a kernel of its own: addition, GELU in its tanh form fused into one, and the
// nine links that a framework without fusion makes of it.
#pragma once

#include <cmath>

#include "bench/suites/cuda/arithmetic/approximate_math.hpp"

namespace steelyard::cuda_suite {

inline constexpr float kGeluCubic = 0.044715f;
inline constexpr float kGeluSlope = 0.79788456f;  // sqrt(2/pi)

struct Sum {
  static constexpr int kOperands = 2;
  STEELYARD_HOST_DEVICE float operator()(float a, float b) const { return a + b; }
};
struct Product {
  static constexpr int kOperands = 2;
  STEELYARD_HOST_DEVICE float operator()(float a, float b) const { return a * b; }
};
struct TimesConstant {
  static constexpr int kOperands = 1;
  float factor = 1.0f;
  STEELYARD_HOST_DEVICE float operator()(float a, float) const { return factor * a; }
};
struct PlusOne {
  static constexpr int kOperands = 1;
  STEELYARD_HOST_DEVICE float operator()(float a, float) const { return 1.0f + a; }
};
struct Tanh {
  static constexpr int kOperands = 1;
  STEELYARD_HOST_DEVICE float operator()(float a, float) const {
#ifdef __CUDA_ARCH__
    return ::tanhf(a);  // within 2 units in the last place
#else
    return std::tanh(a);
#endif
  }
};

// x (1 + tanh u) / 2 is x / (1 + e^-2u): one exponential and one reciprocal, which the device has instructions for, in
// place of a tanh of some twenty. The constants are those of u, times -2 log2(e), so that the exponential is one of 2.
// For large negative x it is infinite and the result -0.
struct Gelu {
  static constexpr int kOperands = 1;
  static constexpr double kPower = -2 * 0.79788456080286535588 * 1.44269504088896340736;
  STEELYARD_HOST_DEVICE float operator()(float x, float) const {
    constexpr auto kLinear = static_cast<float>(kPower);
    constexpr auto kCubic = static_cast<float>(kPower * 0.044715);
    return x * reciprocal_fast(1.0f + exp2_fast(x * (kLinear + kCubic * (x * x))));
  }
};

}  // namespace steelyard::cuda_suite
