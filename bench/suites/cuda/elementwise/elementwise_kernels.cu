#include "bench/suites/cuda/elementwise/elementwise_kernels.hpp"

#include <cuda_runtime_api.h>

#include "bench/cuda/cuda_handles.hpp"

namespace steelyard::cuda_suite {
namespace {

template <class Operation, class T>
__global__ void __launch_bounds__(kElementwiseThreads)
    elementwise_kernel(Operation operation, const T* __restrict__ left, const T* __restrict__ right,
                       T* __restrict__ results, std::size_t n) {
  elementwise_thread(BlockPlace{blockIdx.x, static_cast<int>(threadIdx.x)}, operation, left, right, results, n);
}

template <class Operation, class T>
void launch(const Operation& operation, const T* left, const T* right, T* results, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  const auto blocks = static_cast<unsigned>(elementwise_blocks<T>(n));
  elementwise_kernel<<<blocks, kElementwiseThreads, 0, stream>>>(operation, left, right, results, n);
  cuda::check(cudaGetLastError(), "launching an elementwise kernel");
}

template <class T>
const T* operand(const GeluChainArrays<T>& arrays, GeluBuffer buffer) {
  switch (buffer) {
    case GeluBuffer::values:
      return arrays.values;
    case GeluBuffer::scratch:
      return arrays.scratch;
    case GeluBuffer::other_scratch:
      return arrays.other_scratch;
    case GeluBuffer::results:
      return arrays.results;
  }
  return nullptr;
}

template <class T>
T* result(const GeluChainArrays<T>& arrays, GeluBuffer buffer) {
  if (buffer == GeluBuffer::results) return arrays.results;
  return buffer == GeluBuffer::scratch ? arrays.scratch : arrays.other_scratch;
}

}  // namespace

template <class T>
void launch_add(const T* left, const T* right, T* results, std::size_t n, cudaStream_t stream) {
  launch(Sum{}, left, right, results, n, stream);
}

template <class T>
void launch_gelu(const T* values, T* results, std::size_t n, cudaStream_t stream) {
  launch(Gelu{}, values, values, results, n, stream);
}

template <class T>
void launch_gelu_chain(const GeluChainArrays<T>& arrays, std::size_t n, cudaStream_t stream) {
  for (const GeluLink& link : kGeluChain) {
    const T* left = operand(arrays, link.left);
    const T* right = operand(arrays, link.right);
    T* to = result(arrays, link.to);
    switch (link.function) {
      case GeluLink::Function::product:
        launch(Product{}, left, right, to, n, stream);
        break;
      case GeluLink::Function::sum:
        launch(Sum{}, left, right, to, n, stream);
        break;
      case GeluLink::Function::times_cubic:
        launch(TimesConstant{kGeluCubic}, left, right, to, n, stream);
        break;
      case GeluLink::Function::times_slope:
        launch(TimesConstant{kGeluSlope}, left, right, to, n, stream);
        break;
      case GeluLink::Function::times_half:
        launch(TimesConstant{0.5f}, left, right, to, n, stream);
        break;
      case GeluLink::Function::tanh:
        launch(Tanh{}, left, right, to, n, stream);
        break;
      case GeluLink::Function::plus_one:
        launch(PlusOne{}, left, right, to, n, stream);
        break;
    }
  }
}

#define STEELYARD_ELEMENTWISE_KERNELS(T)                                          \
  template void launch_add<T>(const T*, const T*, T*, std::size_t, cudaStream_t); \
  template void launch_gelu<T>(const T*, T*, std::size_t, cudaStream_t);          \
  template void launch_gelu_chain<T>(const GeluChainArrays<T>&, std::size_t, cudaStream_t);
STEELYARD_ELEMENTWISE_KERNELS(float)
STEELYARD_ELEMENTWISE_KERNELS(F16)
STEELYARD_ELEMENTWISE_KERNELS(Bf16)

}  // namespace steelyard::cuda_suite
