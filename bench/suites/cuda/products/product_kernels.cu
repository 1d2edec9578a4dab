#include "bench/suites/cuda/products/product_kernels.hpp"

#include <algorithm>

#include "bench/cuda/cuda_handles.hpp"
#include "bench/suites/cuda/arithmetic/seeded_inputs.hpp"

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
  constexpr std::size_t kMaxBlocks = 8192;
  const std::size_t blocks = std::min((count + kThreads - 1) / kThreads, kMaxBlocks);
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

namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kWarpThreads = 32;
constexpr std::size_t kMaxBlocks = 1u << 20;

template <class T>
__global__ void multiply_numbers(const T* left, const T* right, T* products, std::size_t count) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    products[i] = narrowed<T>(widened(left[i]) * widened(right[i]));
  }
}

// A warp a row: the lanes take numbers in turn, and their sums are joined by a tree.
template <class T>
__global__ void sum_rows(const T* numbers, T* sums, std::size_t rows, std::size_t length) {
  const std::size_t row = std::size_t{blockIdx.x} * (kThreads / kWarpThreads) + threadIdx.x / kWarpThreads;
  if (row >= rows) return;
  float sum = 0;
  for (std::size_t i = threadIdx.x % kWarpThreads; i < length; i += kWarpThreads) {
    sum += widened(numbers[row * length + i]);
  }
  for (int distance = kWarpThreads / 2; distance > 0; distance /= 2) {
    sum += __shfl_xor_sync(0xffffffffu, sum, distance);
  }
  if (threadIdx.x % kWarpThreads == 0) sums[row] = narrowed<T>(sum);
}

template <class Launch>
void with_type(NumberFormat format, Launch launch) {
  switch (format) {
    case NumberFormat::f32:
      return launch(float{});
    case NumberFormat::f16:
      return launch(F16{});
    case NumberFormat::bf16:
      return launch(Bf16{});
    default:
      return cuda::check(cudaErrorInvalidValue, "multiplying numbers of a format that has no kernel");
  }
}

}  // namespace

void launch_multiply(NumberFormat format, const void* left, const void* right, void* products, std::size_t count,
                     CUstream_st* stream) {
  const std::size_t blocks = std::clamp<std::size_t>((count + kThreads - 1) / kThreads, 1, kMaxBlocks);
  with_type(format, [&](auto number) {
    using T = decltype(number);
    multiply_numbers<<<static_cast<unsigned>(blocks), kThreads, 0, stream>>>(
        static_cast<const T*>(left), static_cast<const T*>(right), static_cast<T*>(products), count);
  });
  cuda::check(cudaGetLastError(), "launching multiply_numbers");
}

void launch_row_sums(NumberFormat format, const void* numbers, void* sums, std::size_t rows, std::size_t length,
                     CUstream_st* stream) {
  constexpr std::size_t kRowsOfBlock = kThreads / kWarpThreads;
  const std::size_t blocks = std::max<std::size_t>((rows + kRowsOfBlock - 1) / kRowsOfBlock, 1);
  with_type(format, [&](auto number) {
    using T = decltype(number);
    sum_rows<<<static_cast<unsigned>(blocks), kThreads, 0, stream>>>(static_cast<const T*>(numbers),
                                                                     static_cast<T*>(sums), rows, length);
  });
  cuda::check(cudaGetLastError(), "launching sum_rows");
}

}  // namespace steelyard::cuda_suite
