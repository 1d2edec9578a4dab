// What one thread does for the sum of a row, or for the dot product of two rows: packs of 16 bytes, four of each row on
// their way before the first is used. The threads of a row add what each has.
#pragma once

#include <cstddef>

#include "bench/suites/cuda/arithmetic/block_tree.hpp"
#include "bench/suites/cuda/arithmetic/pack.hpp"

namespace steelyard::cuda_suite {

inline constexpr unsigned kDotThreads = 256;  // of a block
inline constexpr int kDotPacksInFlight = 4;

// Threads that share a row. A short one leaves most of a warp without a pack; few long ones want more than a warp each,
// or most of the device idles.
constexpr unsigned dot_lanes(std::size_t rows, std::size_t packs_of_row) {
  constexpr std::size_t kShort = 16;
  constexpr std::size_t kLong = 512;
  constexpr std::size_t kMany = 4096;
  if (packs_of_row <= kShort) return 8;
  return packs_of_row > kLong && rows < kMany ? kDotThreads : static_cast<unsigned>(kWarp);
}

struct DotPlace {
  unsigned lane = 0;
  unsigned lanes = 1;
};

// The thread's part of the sum of left[i], or with a right row of left[i] * right[i]; rows of `length` values. Where
// the length is no multiple of a pack's lanes rows begin anywhere, and values are read one by one.
template <class T, bool kHasRight>
STEELYARD_HOST_DEVICE float row_part(const T* left, const T* right, std::size_t length, DotPlace place) {
  float sum = 0.0f;
  if (length % kLanes<T> != 0) {
    for (std::size_t i = place.lane; i < length; i += place.lanes) {
      sum += kHasRight ? widened(left[i]) * widened(right[i]) : widened(left[i]);
    }
    return sum;
  }
  const std::size_t packs = length / kLanes<T>;
  for (std::size_t pack = place.lane; pack < packs; pack += std::size_t{kDotPacksInFlight} * place.lanes) {
    Pack lefts[kDotPacksInFlight];
    Pack rights[kDotPacksInFlight];
    STEELYARD_UNROLL
    for (int turn = 0; turn < kDotPacksInFlight; ++turn) {
      const std::size_t at = pack + static_cast<std::size_t>(turn) * place.lanes;
      // What lies behind the row is 0 and adds nothing.
      lefts[turn] = at < packs ? load_streaming(left + at * kLanes<T>) : Pack{};
      if constexpr (kHasRight) rights[turn] = at < packs ? load_streaming(right + at * kLanes<T>) : Pack{};
    }
    STEELYARD_UNROLL
    for (int turn = 0; turn < kDotPacksInFlight; ++turn) {
      float a[kLanes<T>];
      float b[kLanes<T>];
      unpack<T>(lefts[turn], a);
      if constexpr (kHasRight) unpack<T>(rights[turn], b);
      STEELYARD_UNROLL
      for (int i = 0; i < kLanes<T>; ++i) sum += kHasRight ? a[i] * b[i] : a[i];
    }
  }
  return sum;
}

}  // namespace steelyard::cuda_suite
