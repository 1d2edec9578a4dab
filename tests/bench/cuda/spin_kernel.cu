#include "bench/cuda/cuda_handles.hpp"
#include "bench/cuda/device_timers.cuh"
#include "tests/bench/cuda/spin_kernel.hpp"

#include <cuda_runtime.h>

namespace steelyard::cuda::testkit {
namespace {

__global__ void spin_for(unsigned long long nanoseconds) {
  const unsigned long long begin = global_nanoseconds();
  while (global_nanoseconds() - begin < nanoseconds) {
  }
}

__global__ void sum_words(const float* words, std::size_t count, float* sum) {
  float part = 0;
  for (std::size_t i = threadIdx.x; i < count; i += blockDim.x) part += words[i];
  atomicAdd(sum, part);
}

__global__ void take_turn(unsigned* turns) {
  turns[0] += 1;
  if (turns[0] > turns[1]) turns[1] = turns[0];
}

__global__ void write_nowhere() { *reinterpret_cast<volatile int*>(16) = 1; }

}  // namespace

void launch_spin(unsigned long long nanoseconds, cudaStream_t stream) {
  spin_for<<<1, 1, 0, stream>>>(nanoseconds);
  check(cudaGetLastError(), "launching spin_for");
}

void launch_sum(const float* words, std::size_t count, float* sum, cudaStream_t stream) {
  sum_words<<<1, 1024, 0, stream>>>(words, count, sum);
  check(cudaGetLastError(), "launching sum_words");
}

void launch_turn(unsigned* turns, cudaStream_t stream) {
  take_turn<<<1, 1, 0, stream>>>(turns);
  check(cudaGetLastError(), "launching take_turn");
}

void launch_illegal_write(cudaStream_t stream) {
  write_nowhere<<<1, 1, 0, stream>>>();
  check(cudaGetLastError(), "launching write_nowhere");
}

}  // namespace steelyard::cuda::testkit
