#include "bench/cuda/cuda_handles.hpp"
#include "bench/suites/cuda/mlp/gelu_pass.hpp"
#include "bench/suites/cuda/mlp/mlp_kernels.hpp"

namespace steelyard::cuda_suite {
namespace {

constexpr unsigned kThreads = 256;
// Of the column sums: a warp of columns, so that each row is read in one piece, and eight rows at a time.
constexpr unsigned kColumnLanes = 8;
constexpr unsigned kColumnsOfBlock = 32;

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

template <class T>
__global__ void column_sums(const T* values, T* results, std::size_t rows, std::size_t columns, bool accumulates) {
  __shared__ float parts[kColumnLanes][kColumnsOfBlock];
  const std::size_t column = std::size_t{blockIdx.x} * kColumnsOfBlock + threadIdx.x;
  parts[threadIdx.y][threadIdx.x] =
      column < columns ? column_part(values, rows, columns, column, threadIdx.y, kColumnLanes) : 0.0f;
  __syncthreads();
  if (threadIdx.y != 0 || column >= columns) return;
  float sum = accumulates ? widened(results[column]) : 0.0f;
  for (unsigned lane = 0; lane < kColumnLanes; ++lane) sum += parts[lane][threadIdx.x];
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

void launch_column_sums(const MatrixExtent& extent, const void* values, void* results, bool accumulates,
                        CUstream_st* stream) {
  const auto blocks = static_cast<unsigned>((extent.columns + kColumnsOfBlock - 1) / kColumnsOfBlock);
  with_type(extent.format, "launching column_sums", [&](auto number) {
    using T = decltype(number);
    column_sums<<<blocks, dim3(kColumnsOfBlock, kColumnLanes), 0, stream>>>(
        static_cast<const T*>(values), static_cast<T*>(results), extent.rows, extent.columns, accumulates);
  });
}

// A bias as long as the whole: one row of all columns.
void launch_accumulate(const MatrixExtent& extent, void* target, const void* added, CUstream_st* stream) {
  launch_bias({extent.format, 1, extent.rows * extent.columns}, target, added, stream);
}

}  // namespace steelyard::cuda_suite
