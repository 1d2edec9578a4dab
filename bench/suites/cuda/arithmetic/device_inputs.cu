#include "bench/suites/cuda/arithmetic/current_device.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>

#include "bench/cuda/cuda_handles.hpp"
#include "bench/suites/cuda/arithmetic/seeded_inputs.hpp"

namespace steelyard::cuda_suite {
namespace {

constexpr unsigned kThreads = 256;
constexpr std::size_t kMaxBlocks = 1u << 16;

template <class T>
__global__ void fill_kernel(T* values, std::size_t n, std::uint64_t seed, float limit) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
    values[i] = seeded_value<T>(seed, i, limit);
  }
}

}  // namespace

template <class T>
void fill_seeded(T* values, std::size_t n, std::uint64_t seed, cudaStream_t stream, float limit) {
  if (n == 0) return;
  const auto blocks = static_cast<unsigned>(std::min((n + kThreads - 1) / kThreads, kMaxBlocks));
  fill_kernel<T><<<blocks, kThreads, 0, stream>>>(values, n, seed, limit);
  cuda::check(cudaGetLastError(), "launching the filling of inputs");
}

template void fill_seeded<float>(float*, std::size_t, std::uint64_t, cudaStream_t, float);
template void fill_seeded<F16>(F16*, std::size_t, std::uint64_t, cudaStream_t, float);
template void fill_seeded<Bf16>(Bf16*, std::size_t, std::uint64_t, cudaStream_t, float);
template void fill_seeded<std::int8_t>(std::int8_t*, std::size_t, std::uint64_t, cudaStream_t, float);

}  // namespace steelyard::cuda_suite
