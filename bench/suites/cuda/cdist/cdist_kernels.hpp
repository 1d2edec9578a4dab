// Distances on the device (cdist_tile.hpp). T: float, F16 or Bf16. Each call enqueues and returns; matrices from
// addresses that are multiples of 16. Throws cuda::CudaError.
#pragma once

#include "bench/cuda/workload.hpp"
#include "bench/suites/cuda/cdist/cdist_tile.hpp"

namespace steelyard::cuda_suite {

// One kernel, by differences. results: lefts x rights.
template <class T>
void launch_cdist(const CdistShape& shape, const T* left, const T* right, T* results, cudaStream_t stream);

// The product form's links besides the norms (rows/row_kernels.hpp): products, lefts x rights, in single precision; and
// the distances from these.
template <class T>
void launch_cdist_products(const CdistShape& shape, const T* left, const T* right, float* products,
                           cudaStream_t stream);
struct CdistNorms {
  const float* left = nullptr;  // squared, one a row
  const float* right = nullptr;
};
template <class T>
void launch_cdist_roots(const CdistShape& shape, const CdistNorms& norms, const float* products, T* results,
                        cudaStream_t stream);

}  // namespace steelyard::cuda_suite
