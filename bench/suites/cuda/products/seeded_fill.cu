#include <algorithm>

#include "bench/cuda/cuda_handles.hpp"
#include "bench/suites/cuda/arithmetic/seeded_inputs.hpp"
#include "bench/suites/cuda/products/seeded_fill.hpp"

namespace steelyard::cuda_suite {
namespace {

template <class T>
__device__ T limited(std::uint64_t seed, std::size_t i, float limit) {
  return narrowed<T>(limit * seeded_value<float>(seed, i));
}
template <>
__device__ std::int8_t limited<std::int8_t>(std::uint64_t seed, std::size_t i, float) {
  return seeded_value<std::int8_t>(seed, i);
}

template <class T>
__global__ void fill_numbers(T* numbers, std::size_t count, std::uint64_t seed, float limit) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    numbers[i] = limited<T>(seed, i, limit);
  }
}

template <class T>
void launch(void* numbers, std::size_t count, std::uint64_t seed, cudaStream_t stream, float limit) {
  constexpr unsigned kThreads = 256;
  constexpr std::size_t kMostBlocks = 8192;
  const std::size_t blocks = std::min((count + kThreads - 1) / kThreads, kMostBlocks);
  if (blocks == 0) return;
  fill_numbers<<<static_cast<unsigned>(blocks), kThreads, 0, stream>>>(static_cast<T*>(numbers), count, seed, limit);
  cuda::check(cudaGetLastError(), "launching fill_numbers");
}

}  // namespace

void fill_seeded(NumberFormat format, void* numbers, std::size_t count, std::uint64_t seed, CUstream_st* stream,
                 float limit) {
  switch (format) {
    case NumberFormat::f32:
      return launch<float>(numbers, count, seed, stream, limit);
    case NumberFormat::f16:
      return launch<F16>(numbers, count, seed, stream, limit);
    case NumberFormat::bf16:
      return launch<Bf16>(numbers, count, seed, stream, limit);
    case NumberFormat::e4m3:
      return launch<E4m3>(numbers, count, seed, stream, limit);
    case NumberFormat::s8:
      return launch<std::int8_t>(numbers, count, seed, stream, limit);
    case NumberFormat::s32:
      return cuda::check(cudaErrorInvalidValue, "filling with numbers of 32 bits");
  }
}

}  // namespace steelyard::cuda_suite
