// Functions that the device has fast instructions for, with what these are off by at most. The CPU computes them by its
// own library, so error bounds in this folder count the device's error, not the CPU's.
#pragma once

#include <cmath>

#include "bench/suites/cuda/arithmetic/narrow_floats.hpp"

namespace steelyard::cuda_suite {

// e^x, within 2 units in the last place (CUDA C++ Programming Guide, "Mathematical Functions": expf 1).
STEELYARD_HOST_DEVICE inline float exp_accurate(float x) {
#ifdef __CUDA_ARCH__
  return ::expf(x);
#else
  return std::exp(x);
#endif
}

// 2^x within 2^-22 of itself; below the smallest normal number 0 (PTX ISA, ex2.approx.ftz).
STEELYARD_HOST_DEVICE inline float exp2_fast(float x) {
#ifdef __CUDA_ARCH__
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
#else
  return std::exp2(x);
#endif
}

// e^x as 2^(x log2 e): the rounded product costs |x| 2^-23 of the result.
inline constexpr float kLog2E = 1.44269504f;
STEELYARD_HOST_DEVICE inline float exp_fast(float x) { return exp2_fast(x * kLog2E); }

// 1 / x within 1 unit in the last place, of infinity 0; below the smallest normal number 0 (PTX ISA, rcp.approx.ftz).
STEELYARD_HOST_DEVICE inline float reciprocal_fast(float x) {
#ifdef __CUDA_ARCH__
  float result;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
#else
  return 1.0f / x;
#endif
}

// 1 / sqrt(x) within 2 units in the last place.
STEELYARD_HOST_DEVICE inline float reciprocal_root(float x) {
#ifdef __CUDA_ARCH__
  return ::rsqrtf(x);
#else
  return 1.0f / std::sqrt(x);
#endif
}

STEELYARD_HOST_DEVICE inline float larger(float a, float b) {
#ifdef __CUDA_ARCH__
  return ::fmaxf(a, b);
#else
  return std::fmax(a, b);
#endif
}

// Of float: std::numeric_limits is not for the device in every compiler's mode.
inline constexpr float kInfinity = __builtin_huge_valf();

}  // namespace steelyard::cuda_suite
