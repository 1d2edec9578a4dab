// What one thread does in the kernels of an unfused perceptron: a pack of 16 bytes of values, or a column's part.
#pragma once

#include <cstddef>

#include "bench/suites/cuda/arithmetic/pack.hpp"
#include "bench/suites/cuda/elementwise/elementwise_kernels.hpp"

namespace steelyard::cuda_suite {

// GELU's derivative. With s = 1 / (1 + e^-2u), u = c (x + a x^3): GELU is x s, and its derivative s + x s (1 - s) 2 u'.
struct GeluSlope {
  STEELYARD_HOST_DEVICE float operator()(float x) const {
    const float u = kGeluSlope * (x + kGeluCubic * (x * x * x));
    const float s = reciprocal_fast(1.0f + exp_fast(-2.0f * u));
    const float slope = kGeluSlope * (1.0f + 3.0f * kGeluCubic * (x * x));
    // Far from 0 the slope may be infinite where s (1 - s) is 0.
    const float bend = s * (1.0f - s);
    return bend > 0.0f ? s + 2.0f * x * bend * slope : s;
  }
};

// Pack `pack` of the matrix `values` plus the bias of its columns, in place. columns: a multiple of a pack's lanes.
template <class T>
STEELYARD_HOST_DEVICE void add_bias(T* values, const T* bias, std::size_t columns, std::size_t pack) {
  float sums[kLanes<T>];
  float biases[kLanes<T>];
  const std::size_t first = pack * kLanes<T>;
  unpack<T>(*reinterpret_cast<const Pack*>(values + first), sums);
  unpack<T>(*reinterpret_cast<const Pack*>(bias + first % columns), biases);
  STEELYARD_UNROLL
  for (int i = 0; i < kLanes<T>; ++i) sums[i] += biases[i];
  store_pack(values + first, packed<T>(sums));
}

template <class T>
STEELYARD_HOST_DEVICE void gelu_of(const T* values, T* results, std::size_t pack) {
  float lanes[kLanes<T>];
  unpack<T>(*reinterpret_cast<const Pack*>(values + pack * kLanes<T>), lanes);
  STEELYARD_UNROLL
  for (int i = 0; i < kLanes<T>; ++i) lanes[i] = Gelu{}(lanes[i], 0.0f);
  store_pack(results + pack * kLanes<T>, packed<T>(lanes));
}

// results = upstream * gelu'(sums); without upstream, 1 in its place. results may be upstream.
template <class T>
STEELYARD_HOST_DEVICE void gelu_gradient_of(const T* sums, const T* upstream, T* results, std::size_t pack) {
  float lanes[kLanes<T>];
  unpack<T>(*reinterpret_cast<const Pack*>(sums + pack * kLanes<T>), lanes);
  STEELYARD_UNROLL
  for (int i = 0; i < kLanes<T>; ++i) lanes[i] = GeluSlope{}(lanes[i]);
  if (upstream != nullptr) {
    float gradients[kLanes<T>];
    unpack<T>(*reinterpret_cast<const Pack*>(upstream + pack * kLanes<T>), gradients);
    STEELYARD_UNROLL
    for (int i = 0; i < kLanes<T>; ++i) lanes[i] *= gradients[i];
  }
  store_pack(results + pack * kLanes<T>, packed<T>(lanes));
}

// Sums of columns. A block has 32 packs of columns side by side and a slice of the rows; eight threads share each pack,
// and take the slice's rows in turn, four of them on their way at once. One slice where there are columns enough for
// all multiprocessors; else the slices' sums lie in single precision, and a second kernel adds them in their order.
inline constexpr unsigned kColumnPacks = 32;
inline constexpr unsigned kColumnLanes = 8;
inline constexpr int kColumnRowsInFlight = 4;
inline constexpr std::size_t kMaxColumnSlices = 64;

// Two blocks a multiprocessor, but no slice of fewer rows than its threads have on their way.
constexpr std::size_t column_slices(std::size_t rows, std::size_t packs_of_row, int multiprocessors) {
  constexpr std::size_t kMinRows = std::size_t{kColumnLanes} * kColumnRowsInFlight;
  const std::size_t blocks = (packs_of_row + kColumnPacks - 1) / kColumnPacks;
  const std::size_t wanted = 2 * static_cast<std::size_t>(multiprocessors) / (blocks > 0 ? blocks : 1);
  const std::size_t most = rows / kMinRows < kMaxColumnSlices ? rows / kMinRows : kMaxColumnSlices;
  const std::size_t slices = wanted < most ? wanted : most;
  return slices > 0 ? slices : 1;
}

struct RowSlice {
  std::size_t begin = 0;
  std::size_t end = 0;
};
STEELYARD_HOST_DEVICE constexpr RowSlice row_slice(std::size_t rows, std::size_t slices, std::size_t slice) {
  return {rows * slice / slices, rows * (slice + 1) / slices};
}

// The sums of one pack's columns over every kColumnLanes-th row of the slice, from its row `lane` on.
template <class T>
STEELYARD_HOST_DEVICE void column_part(const T* values, std::size_t columns, RowSlice slice, std::size_t pack,
                                       unsigned lane, float (&sums)[kLanes<T>]) {
  STEELYARD_UNROLL
  for (int i = 0; i < kLanes<T>; ++i) sums[i] = 0.0f;
  constexpr std::size_t kStep = kColumnLanes;
  for (std::size_t row = slice.begin + lane; row < slice.end; row += kColumnRowsInFlight * kStep) {
    Pack packs[kColumnRowsInFlight];
    STEELYARD_UNROLL
    for (int turn = 0; turn < kColumnRowsInFlight; ++turn) {
      const std::size_t at = row + static_cast<std::size_t>(turn) * kStep;
      packs[turn] = at < slice.end ? load_streaming(values + at * columns + pack * kLanes<T>) : Pack{};
    }
    STEELYARD_UNROLL
    for (int turn = 0; turn < kColumnRowsInFlight; ++turn) {
      float lanes[kLanes<T>];
      unpack<T>(packs[turn], lanes);
      STEELYARD_UNROLL
      for (int i = 0; i < kLanes<T>; ++i) sums[i] += lanes[i];
    }
  }
}

}  // namespace steelyard::cuda_suite
