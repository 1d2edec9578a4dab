// Inputs without memory of their own: value i of a seed is a function of (seed, i). A kernel fills gigabytes of them on
// the device, and the reference computes the few that it needs on the CPU: the same bits.
#pragma once

#include <cstdint>

#include "bench/suites/cuda/arithmetic/narrow_floats.hpp"

namespace steelyard::cuda_suite {

// The finisher of SplitMix64 (Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators, 2014, figure 14)
// over its own counter.
STEELYARD_HOST_DEVICE inline std::uint64_t scrambled(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// Floating types: evenly spread over [-limit, limit), rounded to the type; a power of two keeps that one rounding.
// 8-bit integers: -127 to 127, each as likely (to 2^-24).
template <class T>
STEELYARD_HOST_DEVICE T seeded_value(std::uint64_t seed, std::uint64_t index, float limit = 1.0f) {
  const auto bits = static_cast<std::int32_t>(scrambled(seed, index) >> 40);  // 24 bits
  return narrowed<T>(static_cast<float>(bits - (1 << 23)) * 0x1p-23f * limit);
}
template <>
STEELYARD_HOST_DEVICE inline std::int8_t seeded_value<std::int8_t>(std::uint64_t seed, std::uint64_t index, float) {
  const std::uint64_t bits = scrambled(seed, index) >> 32;
  return static_cast<std::int8_t>(static_cast<std::int32_t>((bits * 255u) >> 32) - 127);
}

// Streams of one seed that have nothing to do with each other: one for each operand.
STEELYARD_HOST_DEVICE inline std::uint64_t seed_of_operand(std::uint64_t seed, std::uint64_t operand) {
  return scrambled(seed ^ 0x5bd1e9955bd1e995u, operand);
}

}  // namespace steelyard::cuda_suite
