#include "bench/cuda/cuda_handles.hpp"
#include "bench/suites/cuda/arithmetic/block_tree.hpp"
#include "bench/suites/cuda/ceilings/memory_kernels.hpp"

namespace steelyard::cuda_suite {
namespace {

__device__ PassThread this_thread() { return {.block = blockIdx.x, .thread = threadIdx.x}; }

__global__ void __launch_bounds__(kPassThreads) copy_pass(const Pack* source, Pack* target, std::size_t packs) {
  copy_share(source, target, packs, this_thread());
}

__global__ void __launch_bounds__(kPassThreads)
    read_pass(const Pack* source, std::size_t packs, std::uint32_t* joined) {
  __shared__ std::uint32_t of_warps[kPassThreads / kWarp];
  std::uint32_t word = read_share(source, packs, this_thread());
  for (int distance = kWarp / 2; distance > 0; distance /= 2) word ^= __shfl_xor_sync(0xffffffffu, word, distance);
  if (threadIdx.x % kWarp == 0) of_warps[threadIdx.x / kWarp] = word;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (unsigned warp = 1; warp < kPassThreads / kWarp; ++warp) word ^= of_warps[warp];
  joined[blockIdx.x] = word;
}

__global__ void __launch_bounds__(kPassThreads) write_pass(Pack* target, std::size_t packs, std::uint32_t key) {
  write_share(target, packs, key, this_thread());
}

unsigned grid_for(std::size_t packs) { return static_cast<unsigned>(blocks_for(packs)); }

}  // namespace

void launch_copy_pass(const Pack* source, Pack* target, std::size_t packs, CUstream_st* stream) {
  copy_pass<<<grid_for(packs), kPassThreads, 0, stream>>>(source, target, packs);
  cuda::check(cudaGetLastError(), "launching copy_pass");
}

void launch_read_pass(const Pack* source, std::size_t packs, std::uint32_t* joined, CUstream_st* stream) {
  read_pass<<<grid_for(packs), kPassThreads, 0, stream>>>(source, packs, joined);
  cuda::check(cudaGetLastError(), "launching read_pass");
}

void launch_write_pass(Pack* target, std::size_t packs, std::uint32_t key, CUstream_st* stream) {
  write_pass<<<grid_for(packs), kPassThreads, 0, stream>>>(target, packs, key);
  cuda::check(cudaGetLastError(), "launching write_pass");
}

}  // namespace steelyard::cuda_suite
