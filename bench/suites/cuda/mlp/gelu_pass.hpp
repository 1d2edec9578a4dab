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

// The sum of every `lanes`-th value of a column, from row `lane` on; the lanes' sums are added afterwards.
template <class T>
STEELYARD_HOST_DEVICE float column_part(const T* values, std::size_t rows, std::size_t columns, std::size_t column,
                                        unsigned lane, unsigned lanes) {
  float sum = 0;
  for (std::size_t row = lane; row < rows; row += lanes) sum += widened(values[row * columns + column]);
  return sum;
}

}  // namespace steelyard::cuda_suite
