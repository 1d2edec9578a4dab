// Rows that a block works on whole: each thread keeps its packs of the row in registers, so that memory is read once,
// whatever the row's operation needs of it. Thread t has the packs t, t + threads, t + 2 threads, ...
#pragma once

#include <cstddef>
#include <cstdint>

#include "bench/suites/cuda/arithmetic/block_tree.hpp"
#include "bench/suites/cuda/arithmetic/pack.hpp"

namespace steelyard::cuda_suite {

struct RowsShape {
  std::size_t rows = 0;
  std::size_t columns = 0;  // at least 1
};

// Packs of one thread: 64 bytes on their way for each thread, and as many of the next row.
inline constexpr int kRowPacks = 4;

// The longest row that a block of 1024 threads keeps: 32768 values of 16 bits, 16384 of 32.
template <class T>
inline constexpr std::size_t kMostColumns = std::size_t{kMostThreads} * kRowPacks* kLanes<T>;

// A block for a row; at least a warp.
template <class T>
constexpr int threads_of_row(std::size_t columns) {
  const std::size_t a_thread = std::size_t{kRowPacks} * kLanes<T>;
  const std::size_t wanted = (columns + a_thread - 1) / a_thread;
  return static_cast<int>((wanted + kWarp - 1) / kWarp * kWarp);
}

// Where a thread stands in the work on one row.
struct RowPlace {
  int thread = 0;
  int threads = 0;
  int columns = 0;
  std::size_t row = 0;
};

// Lanes of the thread's pack k that lie inside the row. kWhole: the length is a multiple of the lanes, so that every
// pack is inside or outside.
template <class T, bool kWhole>
STEELYARD_HOST_DEVICE inline int lanes_inside(const RowPlace& place, int k) {
  const int first = (place.thread + k * place.threads) * kLanes<T>;
  const int left = place.columns - first;
  if (kWhole) return left > 0 ? kLanes<T> : 0;
  return left < 0 ? 0 : (left < kLanes<T> ? left : kLanes<T>);
}

// The thread's packs of one row.
template <class T, bool kWhole>
struct RowPart {
  Pack packs[kRowPacks];

  STEELYARD_HOST_DEVICE void load(const T* row, const RowPlace& place) {
    STEELYARD_UNROLL
    for (int k = 0; k < kRowPacks; ++k) {
      const int inside = lanes_inside<T, kWhole>(place, k);
      packs[k] = Pack{};
      if (inside == 0) continue;
      const T* address = row + (place.thread + k * place.threads) * kLanes<T>;
      packs[k] = kWhole ? load_streaming(address) : load_lanes(address, inside);
    }
  }
};

// Writes the results of the thread's pack k.
template <class T, bool kWhole>
STEELYARD_HOST_DEVICE inline void store_part(T* row, const RowPlace& place, int k, const float (&results)[kLanes<T>]) {
  const int inside = lanes_inside<T, kWhole>(place, k);
  if (inside == 0) return;
  T* address = row + (place.thread + k * place.threads) * kLanes<T>;
  if (kWhole) {
    store_pack(address, packed<T>(results));
  } else {
    store_lanes(address, results, inside);
  }
}

}  // namespace steelyard::cuda_suite
