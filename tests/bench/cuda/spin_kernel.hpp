// Kernels that are known for what they do to a harness: one of a known duration, one whose time the cache decides, one
// that counts its turns, one that breaks its context.
#pragma once

#include <cstddef>

#include "bench/cuda/workload.hpp"

namespace steelyard::cuda::testkit {

void launch_spin(unsigned long long nanoseconds, cudaStream_t stream);
void launch_sum(const float* words, std::size_t count, float* sum, cudaStream_t stream);
// One more at `turns[0]`; `turns[1]` keeps the most that was ever there.
void launch_turn(unsigned* turns, cudaStream_t stream);
void launch_illegal_write(cudaStream_t stream);

}  // namespace steelyard::cuda::testkit
