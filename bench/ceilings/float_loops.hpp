// The loops of f64 and f32, for vectors of any width. Instantiated inside functions that are compiled for the
// instructions of that width; nothing here may be called from elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>

namespace steelyard::bench::float_loops {

// A multiply-add takes 4 cycles (5 on Haswell and Zen) and two start each: ten in flight, and sixteen registers.
inline constexpr int kSums = 12;
inline constexpr int kRounds = 8;  // of all sums in a pass, so that the loop's own instructions do not count

// A value that the compiler cannot know.
template <class Element>
[[gnu::always_inline]] inline Element opaque(Element value) {
  asm volatile("" : "+m"(value));
  return value;
}

template <class Element, std::size_t bytes>
inline constexpr std::int64_t kLanes = static_cast<std::int64_t>(bytes / sizeof(Element));

// Operations of a pass: both kinds of loop do one multiply and one add for each sum, or as many of both in other sums.
template <class Element, std::size_t bytes>
inline constexpr std::int64_t kFusedOperations = 2 * kLanes<Element, bytes>* kSums* kRounds;
template <class Element, std::size_t bytes>
inline constexpr std::int64_t kSplitOperations = kLanes<Element, bytes>* kSums* kRounds;

// sum = sum * one + one, contracted to one instruction (the file is compiled with -ffp-contract=fast).
template <class Element, std::size_t bytes>
[[gnu::always_inline]] inline double fused(std::int64_t passes) {
  typedef Element Vector __attribute__((vector_size(bytes)));
  const Vector one = Vector{} + opaque(Element{1});
  Vector sums[kSums];
#pragma GCC unroll 12
  for (int k = 0; k < kSums; ++k) sums[k] = Vector{} + opaque(Element{0});
  for (std::int64_t pass = 0; pass < passes; ++pass) {
#pragma GCC unroll 8
    for (int round = 0; round < kRounds; ++round) {
#pragma GCC unroll 12
      for (int k = 0; k < kSums; ++k) sums[k] = sums[k] * one + one;
    }
  }
  double sum = 0;
#pragma GCC unroll 12
  for (int k = 0; k < kSums; ++k) {
    for (std::size_t lane = 0; lane < bytes / sizeof(Element); ++lane) sum += static_cast<double>(sums[k][lane]);
  }
  return sum;
}

// Without fused instructions: half of the registers multiply, half add.
template <class Element, std::size_t bytes>
[[gnu::always_inline]] inline double split(std::int64_t passes) {
  typedef Element Vector __attribute__((vector_size(bytes)));
  const Vector one = Vector{} + opaque(Element{1});
  Vector sums[kSums / 2];
  Vector products[kSums / 2];
#pragma GCC unroll 6
  for (int k = 0; k < kSums / 2; ++k) {
    sums[k] = Vector{} + opaque(Element{0});
    products[k] = Vector{} + opaque(Element{1});
  }
  for (std::int64_t pass = 0; pass < passes; ++pass) {
#pragma GCC unroll 8
    for (int round = 0; round < kRounds; ++round) {
#pragma GCC unroll 6
      for (int k = 0; k < kSums / 2; ++k) {
        sums[k] = sums[k] + one;
        products[k] = products[k] * one;
      }
    }
  }
  double sum = 0;
#pragma GCC unroll 6
  for (int k = 0; k < kSums / 2; ++k) {
    const Vector both = sums[k] + products[k] - one;  // the products are one still
    for (std::size_t lane = 0; lane < bytes / sizeof(Element); ++lane) sum += static_cast<double>(both[lane]);
  }
  return sum;
}

}  // namespace steelyard::bench::float_loops
