#include "bench/suites/cuda/cdist/cdist_kernels.hpp"

#include <cuda_runtime_api.h>

#include "bench/cuda/cuda_handles.hpp"

namespace steelyard::cuda_suite {
namespace {

constexpr unsigned kRootThreads = 256;

template <bool kDifferences, bool kRoots, bool kWhole, class T, class Out>
__global__ void __launch_bounds__(kCdistThreads)
    cdist_kernel(CdistShape shape, const T* __restrict__ left, const T* __restrict__ right, Out* __restrict__ results) {
  __shared__ CdistTile<T> tile;
  const CdistPlace place{std::size_t{blockIdx.y} * kCdistTile, std::size_t{blockIdx.x} * kCdistTile,
                         static_cast<int>(threadIdx.x)};
  CdistSums sums;
  for (std::size_t column = 0; column < shape.dim; column += kCdistDepth<T>) {
    load_tile<T, kWhole>(shape, left, right, place, column, tile);
    __syncthreads();
    add_tile<T, kDifferences>(tile, place.thread, sums);
    __syncthreads();
  }
  write_tile<Out, kRoots>(shape, place, sums, results);
}

template <class T>
__global__ void __launch_bounds__(kRootThreads)
    roots_kernel(CdistShape shape, CdistNorms norms, const float* __restrict__ products, T* __restrict__ results) {
  const std::size_t n = shape.lefts * shape.rights;
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
    results[i] = narrowed<T>(root_of_product(norms.left[i / shape.rights], norms.right[i % shape.rights], products[i]));
  }
}

template <bool kDifferences, bool kRoots, class T, class Out>
void launch(const CdistShape& shape, const T* left, const T* right, Out* results, cudaStream_t stream) {
  if (shape.lefts * shape.rights == 0) return;
  const dim3 blocks(static_cast<unsigned>((shape.rights + kCdistTile - 1) / kCdistTile),
                    static_cast<unsigned>((shape.lefts + kCdistTile - 1) / kCdistTile));
  const auto kernel = shape.dim % kLanes<T> == 0 ? &cdist_kernel<kDifferences, kRoots, true, T, Out>
                                                 : &cdist_kernel<kDifferences, kRoots, false, T, Out>;
  kernel<<<blocks, kCdistThreads, 0, stream>>>(shape, left, right, results);
  cuda::check(cudaGetLastError(), "launching distances");
}

}  // namespace

template <class T>
void launch_cdist(const CdistShape& shape, const T* left, const T* right, T* results, cudaStream_t stream) {
  launch<true, true>(shape, left, right, results, stream);
}

template <class T>
void launch_cdist_products(const CdistShape& shape, const T* left, const T* right, float* products,
                           cudaStream_t stream) {
  launch<false, false>(shape, left, right, products, stream);
}

template <class T>
void launch_cdist_roots(const CdistShape& shape, const CdistNorms& norms, const float* products, T* results,
                        cudaStream_t stream) {
  const std::size_t n = shape.lefts * shape.rights;
  if (n == 0) return;
  const std::size_t blocks = (n + kRootThreads - 1) / kRootThreads;
  roots_kernel<<<static_cast<unsigned>(blocks < 65536 ? blocks : 65536), kRootThreads, 0, stream>>>(shape, norms,
                                                                                                    products, results);
  cuda::check(cudaGetLastError(), "launching the distances' roots");
}

#define STEELYARD_CDIST_KERNELS(T)                                                                     \
  template void launch_cdist<T>(const CdistShape&, const T*, const T*, T*, cudaStream_t);              \
  template void launch_cdist_products<T>(const CdistShape&, const T*, const T*, float*, cudaStream_t); \
  template void launch_cdist_roots<T>(const CdistShape&, const CdistNorms&, const float*, T*, cudaStream_t);
STEELYARD_CDIST_KERNELS(float)
STEELYARD_CDIST_KERNELS(F16)
STEELYARD_CDIST_KERNELS(Bf16)

}  // namespace steelyard::cuda_suite
