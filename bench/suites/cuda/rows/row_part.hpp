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

// How a row's length fits its block's threads. Two shortcuts that spare most of the index arithmetic, and the rest.
enum class RowFit {
  full,    // every thread has all of its packs
  whole,   // the length is a multiple of a pack's lanes: every pack is inside or outside
  ragged,  // any length: rows begin at any address, so that values are moved one by one
};
template <class T>
constexpr RowFit row_fit(std::size_t columns) {
  if (columns % kLanes<T> != 0) return RowFit::ragged;
  const bool is_full = columns == static_cast<std::size_t>(threads_of_row<T>(columns)) * kRowPacks * kLanes<T>;
  return is_full ? RowFit::full : RowFit::whole;
}

// Where a thread stands in the work on one row.
struct RowPlace {
  int thread = 0;
  int threads = 0;
  int columns = 0;
  std::size_t row = 0;
};

template <class T>
STEELYARD_HOST_DEVICE inline int first_column(const RowPlace& place, int k) {
  return (place.thread + k * place.threads) * kLanes<T>;
}

// Lanes of the thread's pack k that lie inside the row.
template <class T, RowFit kFit>
STEELYARD_HOST_DEVICE inline int lanes_inside(const RowPlace& place, int k) {
  if (kFit == RowFit::full) return kLanes<T>;
  const int left = place.columns - first_column<T>(place, k);
  if (kFit == RowFit::whole) return left > 0 ? kLanes<T> : 0;
  return left < 0 ? 0 : (left < kLanes<T> ? left : kLanes<T>);
}

// The thread's packs of one row.
template <class T, RowFit kFit>
struct RowPart {
  Pack packs[kRowPacks];

  STEELYARD_HOST_DEVICE void load(const T* row, const RowPlace& place) {
    STEELYARD_UNROLL
    for (int k = 0; k < kRowPacks; ++k) {
      const int inside = lanes_inside<T, kFit>(place, k);
      const T* address = row + first_column<T>(place, k);
      if constexpr (kFit == RowFit::ragged) {
        packs[k] = load_lanes(address, inside);
      } else {
        packs[k] = inside > 0 ? load_streaming(address) : Pack{};
      }
    }
  }
};

// Writes the results of the thread's pack k.
template <class T, RowFit kFit>
STEELYARD_HOST_DEVICE inline void store_part(T* row, const RowPlace& place, int k, const float (&results)[kLanes<T>]) {
  const int inside = lanes_inside<T, kFit>(place, k);
  T* address = row + first_column<T>(place, k);
  if constexpr (kFit == RowFit::ragged) {
    store_lanes(address, results, inside);
  } else {
    if (inside > 0) store_pack(address, packed<T>(results));
  }
}

}  // namespace steelyard::cuda_suite
