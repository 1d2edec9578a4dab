#include "bench/cuda/cuda_handles.hpp"
#include "bench/suites/cuda/mlp/gelu_pass.hpp"
#include "bench/suites/cuda/mlp/mlp_kernels.hpp"

namespace steelyard::cuda_suite {
namespace {

constexpr unsigned kThreads = 256;

__device__ std::size_t this_pack() { return std::size_t{blockIdx.x} * kThreads + threadIdx.x; }

template <class T>
__global__ void bias_pass(T* values, const T* bias, std::size_t columns, std::size_t packs) {
  if (this_pack() < packs) add_bias(values, bias, columns, this_pack());
}

template <class T>
__global__ void gelu_pass(const T* values, T* results, std::size_t packs) {
  if (this_pack() < packs) gelu_of(values, results, this_pack());
}

template <class T>
__global__ void gelu_gradient_pass(const T* sums, const T* upstream, T* results, std::size_t packs) {
  if (this_pack() < packs) gelu_gradient_of(sums, upstream, results, this_pack());
}

// kToParts: the slice's sums go to `parts`, slices x columns; else there is one slice, and they are the results.
template <class T, bool kToParts>
__global__ void __launch_bounds__(kThreads)
    column_sums(const T* __restrict__ values, T* __restrict__ results, float* __restrict__ parts, MatrixExtent extent,
                bool accumulates) {
  constexpr unsigned kColumns = kColumnPacks * kLanes<T>;
  __shared__ float of_lanes[kColumnLanes][kColumns];
  const std::size_t pack = std::size_t{blockIdx.x} * kColumnPacks + threadIdx.x;
  if (pack * kLanes<T> < extent.columns) {
    float sums[kLanes<T>];
    column_part(values, extent.columns, row_slice(extent.rows, gridDim.y, blockIdx.y), pack, threadIdx.y, sums);
#pragma unroll
    for (int i = 0; i < kLanes<T>; ++i) of_lanes[threadIdx.y][threadIdx.x * kLanes<T> + i] = sums[i];
  }
  __syncthreads();
  const unsigned within = threadIdx.y * kColumnPacks + threadIdx.x;
  const std::size_t column = std::size_t{blockIdx.x} * kColumns + within;
  if (within >= kColumns || column >= extent.columns) return;
  float sum = !kToParts && accumulates ? widened(results[column]) : 0.0f;
  for (unsigned lane = 0; lane < kColumnLanes; ++lane) sum += of_lanes[lane][within];
  if constexpr (kToParts) {
    parts[blockIdx.y * extent.columns + column] = sum;
  } else {
    results[column] = narrowed<T>(sum);
  }
}

template <class T>
__global__ void __launch_bounds__(kThreads) join_slices(const float* __restrict__ parts, T* __restrict__ results,
                                                        std::size_t slices, std::size_t columns, bool accumulates) {
  const std::size_t column = this_pack();
  if (column >= columns) return;
  float sum = accumulates ? widened(results[column]) : 0.0f;
  for (std::size_t slice = 0; slice < slices; ++slice) sum += parts[slice * columns + column];
  results[column] = narrowed<T>(sum);
}

template <class Launch>
void with_type(NumberFormat format, const char* kernel, Launch launch) {
  switch (format) {
    case NumberFormat::f32:
      launch(float{});
      break;
    case NumberFormat::f16:
      launch(F16{});
      break;
    case NumberFormat::bf16:
      launch(Bf16{});
      break;
    default:
      cuda::check(cudaErrorInvalidValue, kernel);
  }
  cuda::check(cudaGetLastError(), kernel);
}

// Of the packs of a matrix.
std::size_t packs_of(const MatrixExtent& extent) {
  return extent.rows * extent.columns * size_of(extent.format) / sizeof(Pack);
}
unsigned blocks_of(std::size_t packs) { return static_cast<unsigned>((packs + kThreads - 1) / kThreads); }

}  // namespace

void launch_bias(const MatrixExtent& extent, void* values, const void* bias, CUstream_st* stream) {
  const std::size_t packs = packs_of(extent);
  with_type(extent.format, "launching bias_pass", [&](auto number) {
    using T = decltype(number);
    bias_pass<<<blocks_of(packs), kThreads, 0, stream>>>(static_cast<T*>(values), static_cast<const T*>(bias),
                                                         extent.columns, packs);
  });
}

void launch_gelu_pass(const MatrixExtent& extent, const void* values, void* results, CUstream_st* stream) {
  const std::size_t packs = packs_of(extent);
  with_type(extent.format, "launching gelu_pass", [&](auto number) {
    using T = decltype(number);
    gelu_pass<<<blocks_of(packs), kThreads, 0, stream>>>(static_cast<const T*>(values), static_cast<T*>(results),
                                                         packs);
  });
}

void launch_gelu_gradient(const MatrixExtent& extent, const void* sums, const void* upstream, void* results,
                          CUstream_st* stream) {
  const std::size_t packs = packs_of(extent);
  with_type(extent.format, "launching gelu_gradient_pass", [&](auto number) {
    using T = decltype(number);
    gelu_gradient_pass<<<blocks_of(packs), kThreads, 0, stream>>>(
        static_cast<const T*>(sums), static_cast<const T*>(upstream), static_cast<T*>(results), packs);
  });
}

void launch_column_sums(const MatrixExtent& extent, const void* values, const ColumnSums& sums, CUstream_st* stream) {
  const std::size_t packs_of_row = extent.columns * size_of(extent.format) / sizeof(Pack);
  const dim3 grid(static_cast<unsigned>((packs_of_row + kColumnPacks - 1) / kColumnPacks),
                  static_cast<unsigned>(sums.slices));
  const dim3 block(kColumnPacks, kColumnLanes);
  with_type(extent.format, "launching column_sums", [&](auto number) {
    using T = decltype(number);
    const T* from = static_cast<const T*>(values);
    T* to = static_cast<T*>(sums.results);
    if (sums.slices == 1) {
      column_sums<T, false><<<grid, block, 0, stream>>>(from, to, nullptr, extent, sums.accumulates);
      return;
    }
    column_sums<T, true><<<grid, block, 0, stream>>>(from, to, sums.parts, extent, sums.accumulates);
    join_slices<<<blocks_of(extent.columns), kThreads, 0, stream>>>(static_cast<const float*>(sums.parts), to,
                                                                    sums.slices, extent.columns, sums.accumulates);
  });
}

// A bias as long as the whole: one row of all columns.
void launch_accumulate(const MatrixExtent& extent, void* target, const void* added, CUstream_st* stream) {
  launch_bias({extent.format, 1, extent.rows * extent.columns}, target, added, stream);
}

}  // namespace steelyard::cuda_suite
