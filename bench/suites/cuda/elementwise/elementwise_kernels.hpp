// The elementwise kernels. Each call enqueues and returns; T: float, F16 or Bf16; arrays of n values on the device,
// from addresses that are multiples of 16; the results are none of the operands' memory. Throws cuda::CudaError.
#pragma once

#include "bench/cuda/workload.hpp"
#include "bench/suites/cuda/elementwise/elementwise_thread.hpp"

namespace steelyard::cuda_suite {

template <class T>
void launch_add(const T* left, const T* right, T* results, std::size_t n, cudaStream_t stream);

template <class T>
void launch_gelu(const T* values, T* results, std::size_t n, cudaStream_t stream);

template <class T>
struct GeluChainArrays {
  const T* values = nullptr;
  T* scratch = nullptr;
  T* other_scratch = nullptr;
  T* results = nullptr;
};
// Nine launches.
template <class T>
void launch_gelu_chain(const GeluChainArrays<T>& arrays, std::size_t n, cudaStream_t stream);

}  // namespace steelyard::cuda_suite
