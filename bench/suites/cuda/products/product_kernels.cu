#include "bench/suites/cuda/products/product_kernels.hpp"

#include <algorithm>

#include "bench/cuda/cuda_handles.hpp"
#include "bench/suites/cuda/arithmetic/block_join.cuh"
#include "bench/suites/cuda/arithmetic/seeded_inputs.hpp"
#include "bench/suites/cuda/elementwise/elementwise_kernels.hpp"
#include "bench/suites/cuda/products/dot_kernels.hpp"

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

template <class T>
__global__ void __launch_bounds__(kElementwiseThreads)
    multiply_numbers(const T* __restrict__ left, const T* __restrict__ right, T* __restrict__ products,
                     std::size_t count) {
  elementwise_thread(BlockPlace{blockIdx.x, static_cast<int>(threadIdx.x)}, Product{}, left, right, products, count);
}

// kLanesOfRow threads a row: part of a warp, a warp, or the whole block.
template <class T, bool kHasRight, unsigned kLanesOfRow>
__global__ void __launch_bounds__(kDotThreads) sum_rows(const T* __restrict__ left, const T* __restrict__ right,
                                                        T* __restrict__ sums, std::size_t rows, std::size_t length) {
  const std::size_t row = std::size_t{blockIdx.x} * (kDotThreads / kLanesOfRow) + threadIdx.x / kLanesOfRow;
  const DotPlace place{threadIdx.x % kLanesOfRow, kLanesOfRow};
  // A warp joins its sums with all of its threads, whatever rows they have.
  float sum = 0.0f;
  if (row < rows) sum = row_part<T, kHasRight>(left + row * length, right + row * length, length, place);
  if constexpr (kLanesOfRow > kWarp) {
    __shared__ float of_warps[kMaxWarps];
    sum = joined_over_block(sum, 0.0f, of_warps, [](float a, float b) { return a + b; });
  } else {
#pragma unroll
    for (int distance = kLanesOfRow / 2; distance > 0; distance /= 2) sum += shuffled(sum, distance);
  }
  if (place.lane == 0 && row < rows) sums[row] = narrowed<T>(sum);
}

template <class T, bool kHasRight>
void launch_sums(const T* left, const T* right, T* sums, std::size_t rows, std::size_t length, cudaStream_t stream) {
  if (rows == 0) return;
  const auto enqueue = [&](auto kernel, unsigned lanes) {
    const std::size_t of_block = kDotThreads / lanes;
    kernel<<<static_cast<unsigned>((rows + of_block - 1) / of_block), kDotThreads, 0, stream>>>(left, right, sums, rows,
                                                                                                length);
  };
  const unsigned lanes = dot_lanes(rows, (length + kLanes<T> - 1) / kLanes<T>);
  if (lanes == 8) return enqueue(&sum_rows<T, kHasRight, 8>, lanes);
  if (lanes == kWarp) return enqueue(&sum_rows<T, kHasRight, kWarp>, lanes);
  enqueue(&sum_rows<T, kHasRight, kDotThreads>, lanes);
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
  if (count == 0) return;
  with_type(format, [&](auto number) {
    using T = decltype(number);
    multiply_numbers<<<static_cast<unsigned>(elementwise_blocks<T>(count)), kElementwiseThreads, 0, stream>>>(
        static_cast<const T*>(left), static_cast<const T*>(right), static_cast<T*>(products), count);
  });
  cuda::check(cudaGetLastError(), "launching multiply_numbers");
}

void launch_row_sums(NumberFormat format, const void* numbers, void* sums, std::size_t rows, std::size_t length,
                     CUstream_st* stream) {
  with_type(format, [&](auto number) {
    using T = decltype(number);
    const T* values = static_cast<const T*>(numbers);
    launch_sums<T, false>(values, values, static_cast<T*>(sums), rows, length, stream);
  });
  cuda::check(cudaGetLastError(), "launching sum_rows");
}

void launch_row_dots(NumberFormat format, const RowPairs& pairs, void* sums, CUstream_st* stream) {
  with_type(format, [&](auto number) {
    using T = decltype(number);
    launch_sums<T, true>(static_cast<const T*>(pairs.left), static_cast<const T*>(pairs.right), static_cast<T*>(sums),
                         pairs.rows, pairs.length, stream);
  });
  cuda::check(cudaGetLastError(), "launching the dot products of rows");
}

}  // namespace steelyard::cuda_suite
