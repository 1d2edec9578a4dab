#include "bench/suites/cuda/cdist/cdist_kernels.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>

#include "bench/cuda/cuda_handles.hpp"

namespace steelyard::cuda_suite {
namespace {

constexpr unsigned kRootThreads = 256;

template <bool kWhole, class T>
__global__ void __launch_bounds__(kCdistThreads)
    cdist_kernel(CdistShape shape, const T* __restrict__ left, const T* __restrict__ right, T* __restrict__ results) {
  __shared__ CdistTile<T> tile;
  const CdistPlace place{std::size_t{blockIdx.y} * kCdistTile, std::size_t{blockIdx.x} * kCdistTile,
                         static_cast<int>(threadIdx.x)};
  CdistSums sums;
  for (std::size_t column = 0; column < shape.dim; column += kCdistDepth<T>) {
    load_tile<T, kWhole>(shape, left, right, place, column, tile);
    __syncthreads();
    add_tile<T>(tile, place.thread, sums);
    __syncthreads();
  }
  write_tile(shape, place, sums, results);
}

// A thread has one column, and rows in turn: neither is found by a division.
template <class T>
__global__ void __launch_bounds__(kRootThreads)
    roots_kernel(CdistShape shape, CdistNorms norms, const float* __restrict__ products, T* __restrict__ results) {
  const std::size_t right = std::size_t{blockIdx.x} * kRootThreads + threadIdx.x;
  if (right >= shape.rights) return;
  const float norm = norms.right[right];
#pragma unroll 4
  for (std::size_t left = blockIdx.y; left < shape.lefts; left += gridDim.y) {
    const std::size_t at = left * shape.rights + right;
    results[at] = narrowed<T>(root_of_product(norms.left[left], norm, products[at]));
  }
}

}  // namespace

template <class T>
void launch_cdist(const CdistShape& shape, const T* left, const T* right, T* results, cudaStream_t stream) {
  if (shape.lefts * shape.rights == 0) return;
  const dim3 blocks(static_cast<unsigned>((shape.rights + kCdistTile - 1) / kCdistTile),
                    static_cast<unsigned>((shape.lefts + kCdistTile - 1) / kCdistTile));
  const auto kernel = shape.dim % kLanes<T> == 0 ? &cdist_kernel<true, T> : &cdist_kernel<false, T>;
  kernel<<<blocks, kCdistThreads, 0, stream>>>(shape, left, right, results);
  cuda::check(cudaGetLastError(), "launching distances");
}

template <class T>
void launch_cdist_roots(const CdistShape& shape, const CdistNorms& norms, const float* products, T* results,
                        cudaStream_t stream) {
  if (shape.lefts * shape.rights == 0) return;
  constexpr std::size_t kRowsOfBlock = 8;
  constexpr std::size_t kMaxGridRows = 65535;
  const std::size_t grid_rows = std::min((shape.lefts + kRowsOfBlock - 1) / kRowsOfBlock, kMaxGridRows);
  const dim3 blocks(static_cast<unsigned>((shape.rights + kRootThreads - 1) / kRootThreads),
                    static_cast<unsigned>(grid_rows));
  roots_kernel<<<blocks, kRootThreads, 0, stream>>>(shape, norms, products, results);
  cuda::check(cudaGetLastError(), "launching the distances' roots");
}

#define STEELYARD_CDIST_KERNELS(T)                                                        \
  template void launch_cdist<T>(const CdistShape&, const T*, const T*, T*, cudaStream_t); \
  template void launch_cdist_roots<T>(const CdistShape&, const CdistNorms&, const float*, T*, cudaStream_t);
STEELYARD_CDIST_KERNELS(float)
STEELYARD_CDIST_KERNELS(F16)
STEELYARD_CDIST_KERNELS(Bf16)

}  // namespace steelyard::cuda_suite
