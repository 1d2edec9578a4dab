// The block's tree (block_tree.hpp) on the device: shuffles within a warp, one array in shared memory between warps.
#pragma once

#include "bench/suites/cuda/arithmetic/block_tree.hpp"

namespace steelyard::cuda_suite {

// A value of the thread whose number differs by the bit `distance`.
template <class Value>
__device__ Value shuffled(const Value& value, int distance) {
  static_assert(sizeof(Value) % sizeof(unsigned) == 0);
  constexpr int kWords = static_cast<int>(sizeof(Value) / sizeof(unsigned));
  unsigned words[kWords];
  memcpy(words, &value, sizeof(Value));
#pragma unroll
  for (int i = 0; i < kWords; ++i) words[i] = __shfl_xor_sync(0xffffffffu, words[i], distance);
  Value other;
  memcpy(&other, words, sizeof(Value));
  return other;
}

template <class Value, class Join>
__device__ Value joined_over_warp(Value value, Join join) {
#pragma unroll
  for (int distance = kWarp / 2; distance > 0; distance /= 2) value = join(value, shuffled(value, distance));
  return value;
}

// Every thread of the block calls it and has the result. of_warps: shared memory that no thread reads any more; two
// arrays in turn are enough for a loop, because a thread that is one barrier ahead writes the other one.
template <class Value, class Join>
__device__ Value joined_over_block(Value value, const Value& neutral, Value* of_warps, Join join) {
  value = joined_over_warp(value, join);
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  if (lane == 0) of_warps[threadIdx.x / kWarp] = value;
  __syncthreads();
  value = lane < static_cast<int>(blockDim.x) / kWarp ? of_warps[lane] : neutral;
  return joined_over_warp(value, join);
}

}  // namespace steelyard::cuda_suite
