// Numbers in 16 bits, bfloat16 and IEEE half precision: storage types. Kernels widen them to single precision, which is
// exact, compute there, and round once at the end: to nearest, ties to even.
#pragma once

#include <bit>
#include <cstdint>

// What a kernel computes stands in functions that run on both sides: on the device, and on the CPU in tests, where a
// whole block is played thread by thread. Without the toolkit these marks are nothing.
//
//     STEELYARD_HOST_DEVICE inline float twice(float x) { return x + x; }
//
// The few intrinsics of the device stand behind `#ifdef __CUDA_ARCH__`, each beside the plain code that the CPU runs
// and whose result it has, or with the error that it adds.

#ifdef __CUDACC__
#define STEELYARD_HOST_DEVICE __host__ __device__
#else
#define STEELYARD_HOST_DEVICE
#endif

// Arrays in registers need loops whose count the compiler knows and which it unrolls: an index that is only known at
// run time moves them to memory.
#ifdef __CUDA_ARCH__
#define STEELYARD_UNROLL _Pragma("unroll")
#else
#define STEELYARD_UNROLL
#endif

namespace steelyard::cuda_suite {

// No initial values: arrays of these are filled by kernels.
struct Bf16 {
  std::uint16_t bits;
};
struct F16 {
  std::uint16_t bits;
};

STEELYARD_HOST_DEVICE inline float float_of_bits(std::uint32_t bits) {
#ifdef __CUDA_ARCH__
  return __uint_as_float(bits);
#else
  return std::bit_cast<float>(bits);
#endif
}
STEELYARD_HOST_DEVICE inline std::uint32_t bits_of_float(float value) {
#ifdef __CUDA_ARCH__
  return __float_as_uint(value);
#else
  return std::bit_cast<std::uint32_t>(value);
#endif
}

STEELYARD_HOST_DEVICE inline float widened(float value) { return value; }
STEELYARD_HOST_DEVICE inline float widened(Bf16 value) { return float_of_bits(std::uint32_t{value.bits} << 16); }
STEELYARD_HOST_DEVICE inline float widened(F16 value) {
#ifdef __CUDA_ARCH__
  float wide;
  asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(value.bits));
  return wide;
#else
  const std::uint32_t sign = (value.bits & 0x8000u) << 16;
  const std::uint32_t exponent = (value.bits >> 10) & 0x1fu;
  const std::uint32_t fraction = value.bits & 0x3ffu;
  if (exponent == 0) {
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return sign != 0 ? -magnitude : magnitude;
  }
  const std::uint32_t wide_exponent = exponent == 31 ? 255u : exponent + 112u;
  return float_of_bits(sign | (wide_exponent << 23) | (fraction << 13));
#endif
}

// A NaN stays one (0x7fff, as the device's conversion has it); what is too large becomes infinite.
template <class T>
STEELYARD_HOST_DEVICE T narrowed(float value);

template <>
STEELYARD_HOST_DEVICE inline float narrowed<float>(float value) {
  return value;
}

template <>
STEELYARD_HOST_DEVICE inline Bf16 narrowed<Bf16>(float value) {
#ifdef __CUDA_ARCH__
  Bf16 narrow;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(narrow.bits) : "f"(value));
  return narrow;
#else
  const std::uint32_t bits = bits_of_float(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return Bf16{0x7fff};
  return Bf16{static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16)};
#endif
}

template <>
STEELYARD_HOST_DEVICE inline F16 narrowed<F16>(float value) {
#ifdef __CUDA_ARCH__
  F16 narrow;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(narrow.bits) : "f"(value));
  return narrow;
#else
  const std::uint32_t bits = bits_of_float(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return F16{0x7fff};
  // 65520 is half way from the largest number to the next power of two: from there on it is infinite.
  if (magnitude >= 0x477ff000u) return F16{static_cast<std::uint16_t>(sign | 0x7c00u)};
  // Below 2^-14 the spacing is 2^-24, as that of single precision is from 0.5 on: the addition rounds.
  if (magnitude < 0x38800000u) {
    const std::uint32_t steps = bits_of_float(float_of_bits(magnitude) + 0.5f) - bits_of_float(0.5f);
    return F16{static_cast<std::uint16_t>(sign | steps)};
  }
  const std::uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u) - (112u << 23);
  return F16{static_cast<std::uint16_t>(sign | (rounded >> 13))};
#endif
}

// Two in one word, the first in the lower half: one instruction of the device for bf16 and for f16.
template <class T>
STEELYARD_HOST_DEVICE std::uint32_t narrowed_pair(float low, float high) {
  return std::uint32_t{narrowed<T>(low).bits} | (std::uint32_t{narrowed<T>(high).bits} << 16);
}
#ifdef __CUDA_ARCH__
template <>
STEELYARD_HOST_DEVICE inline std::uint32_t narrowed_pair<Bf16>(float low, float high) {
  std::uint32_t pair;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  return pair;
}
template <>
STEELYARD_HOST_DEVICE inline std::uint32_t narrowed_pair<F16>(float low, float high) {
  std::uint32_t pair;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  return pair;
}
#endif

// Half the distance of two neighbours over the smaller one: what one rounding may change of a value, at most.
template <class T>
inline constexpr double kUnitRoundoff = 0;
template <>
inline constexpr double kUnitRoundoff<float> = 0x1p-24;
template <>
inline constexpr double kUnitRoundoff<F16> = 0x1p-11;
template <>
inline constexpr double kUnitRoundoff<Bf16> = 0x1p-8;

// Below the smallest normal number one rounding may change a value by half of the smallest one. Single precision and
// bf16: the smallest normal number itself, because some instructions of the device take what is smaller as 0.
template <class T>
inline constexpr double kRoundoffFloor = 0x1p-126;
template <>
inline constexpr double kRoundoffFloor<F16> = 0x1p-25;

}  // namespace steelyard::cuda_suite
