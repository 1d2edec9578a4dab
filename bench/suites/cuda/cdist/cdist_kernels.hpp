// Euclidean distances between each row of one matrix and each row of another: what one thread of a block does. A block
// has a tile of 64 x 64 distances; its 256 threads bring 64 rows of both matrices, some columns at a time, to shared
// memory, and each thread sums squared differences over 4 x 4 pairs of rows. The other way goes by a matrix product
// (cuBLASLt's, by the tensor cores where the dtype has them): root(|x|^2 + |y|^2 - 2 xy), which loses digits where two
// rows are close.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstring>

#include "bench/cuda/workload.hpp"
#include "bench/suites/cuda/arithmetic/pack.hpp"

namespace steelyard::cuda_suite {

struct CdistShape {
  std::size_t lefts = 0;   // rows of the left matrix
  std::size_t rights = 0;  // rows of the right one
  std::size_t dim = 0;     // columns of both, at least 1
};

inline constexpr int kCdistTile = 64;
inline constexpr int kCdistThreads = 256;
inline constexpr int kCdistSide = 4;  // pairs of a thread: 4 x 4

// Columns that a tile holds at a time: four packs of each row, so that each thread loads one of each matrix.
template <class T>
inline constexpr int kCdistDepth = 4 * kLanes<T>;

// In shared memory, column by column, so that a thread's four rows are one load of 16 bytes. A warp brings eight rows
// of four packs; the rows of each pack's columns are moved by eight places from the pack before it, so that the 32
// writes fall on 32 banks. Fours of rows stay side by side.
template <class T>
STEELYARD_HOST_DEVICE constexpr int tile_place(int column, int row) {
  return row ^ (8 * (column / kLanes<T> % 4));
}
template <class T>
struct alignas(16) CdistTile {
  float left[kCdistDepth<T>][kCdistTile];
  float right[kCdistDepth<T>][kCdistTile];
};

struct CdistPlace {
  std::size_t left = 0;   // first row of the tile
  std::size_t right = 0;  // first row of the tile in the other matrix
  int thread = 0;
};

// The thread's pack of 64 rows from `first` on, at the columns from `column` on; what lies outside is 0.
template <class T, bool kWhole>
STEELYARD_HOST_DEVICE void load_rows(const T* matrix, std::size_t rows, std::size_t first, std::size_t dim,
                                     std::size_t column, int thread, float (&tile)[kCdistDepth<T>][kCdistTile]) {
  const int row = thread / 4;
  const int lane = thread % 4 * kLanes<T>;
  const std::size_t at = first + static_cast<std::size_t>(row);
  const std::size_t from = column + static_cast<std::size_t>(lane);
  Pack pack = Pack{};
  if (at < rows && from < dim) {
    const T* address = matrix + at * dim + from;
    const std::size_t left = dim - from;
    // A length that is a multiple of the lanes leaves whole packs alone.
    pack = kWhole ? load_shared_by_threads(address)
                  : load_lanes(address, left < kLanes<T> ? static_cast<int>(left) : kLanes<T>);
  }
  float values[kLanes<T>];
  unpack<T>(pack, values);
  STEELYARD_UNROLL
  for (int i = 0; i < kLanes<T>; ++i) tile[lane + i][tile_place<T>(lane + i, row)] = values[i];
}

template <class T, bool kWhole>
STEELYARD_HOST_DEVICE void load_tile(const CdistShape& shape, const T* left, const T* right, const CdistPlace& place,
                                     std::size_t column, CdistTile<T>& tile) {
  load_rows<T, kWhole>(left, shape.lefts, place.left, shape.dim, column, place.thread, tile.left);
  load_rows<T, kWhole>(right, shape.rights, place.right, shape.dim, column, place.thread, tile.right);
}

struct CdistSums {
  float of_pair[kCdistSide][kCdistSide] = {};
};

// The values of four rows from `row` on, a multiple of four, at one column: one load of 16 bytes.
template <class T>
STEELYARD_HOST_DEVICE void load_four(const float (&rows)[kCdistTile], int column, int row,
                                     float (&values)[kCdistSide]) {
  static_assert(kCdistSide * sizeof(float) == sizeof(Pack));
  Pack pack;
  const float* address = rows + tile_place<T>(column, row);
#ifdef __CUDA_ARCH__
  pack = *reinterpret_cast<const Pack*>(address);
#else
  std::memcpy(&pack, address, sizeof(pack));
#endif
  unpack<float>(pack, values);
}

// Columns past the last are 0 in both and add nothing.
template <class T>
STEELYARD_HOST_DEVICE void add_tile(const CdistTile<T>& tile, int thread, CdistSums& sums) {
  const int left = thread / 16 * kCdistSide;
  const int right = thread % 16 * kCdistSide;
  for (int column = 0; column < kCdistDepth<T>; ++column) {
    float a[kCdistSide];
    float b[kCdistSide];
    load_four<T>(tile.left[column], column, left, a);
    load_four<T>(tile.right[column], column, right, b);
    STEELYARD_UNROLL
    for (int i = 0; i < kCdistSide; ++i) {
      STEELYARD_UNROLL
      for (int j = 0; j < kCdistSide; ++j) {
        const float off = a[i] - b[j];
        sums.of_pair[i][j] += off * off;
      }
    }
  }
}

// results: lefts x rights.
template <class Result>
STEELYARD_HOST_DEVICE void write_tile(const CdistShape& shape, const CdistPlace& place, const CdistSums& sums,
                                      Result* results) {
  STEELYARD_UNROLL
  for (int i = 0; i < kCdistSide; ++i) {
    const std::size_t left = place.left + static_cast<std::size_t>(place.thread / 16 * kCdistSide + i);
    STEELYARD_UNROLL
    for (int j = 0; j < kCdistSide; ++j) {
      const std::size_t right = place.right + static_cast<std::size_t>(place.thread % 16 * kCdistSide + j);
      if (left >= shape.lefts || right >= shape.rights) continue;
      results[left * shape.rights + right] = narrowed<Result>(sqrtf(sums.of_pair[i][j]));
    }
  }
}

// The product form's last link, for one pair. Rounding may leave a small negative number where two rows are equal; a
// NaN stays one.
STEELYARD_HOST_DEVICE inline float root_of_product(float left_norm, float right_norm, float product) {
  const float square = left_norm + right_norm - 2.0f * product;
  return square < 0.0f ? 0.0f : sqrtf(square);
}

// Distances on the device. T: float, F16 or Bf16. Each call enqueues and returns; matrices from
// addresses that are multiples of 16. Throws cuda::CudaError.

// One kernel, by differences. results: lefts x rights.
template <class T>
void launch_cdist(const CdistShape& shape, const T* left, const T* right, T* results, cudaStream_t stream);

// The product form's last link: the distances from squared norms and products, lefts x rights, in single precision.
struct CdistNorms {
  const float* left = nullptr;  // squared, one a row
  const float* right = nullptr;
};
template <class T>
void launch_cdist_roots(const CdistShape& shape, const CdistNorms& norms, const float* products, T* results,
                        cudaStream_t stream);

}  // namespace steelyard::cuda_suite
