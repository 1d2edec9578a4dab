// One kernel for all operations on rows (row_operations.hpp): blocks stay and take rows in turn, and a thread asks for
// its packs of the next row before it works on those of this one, so that memory is never idle while a block waits in
// its tree.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cassert>

#include "bench/cuda/cuda_error.hpp"
#include "bench/suites/cuda/arithmetic/block_join.cuh"
#include "bench/suites/cuda/arithmetic/current_device.hpp"
#include "bench/suites/cuda/rows/row_kernels.hpp"

namespace steelyard::cuda_suite {

template <class Operation, class T, RowFit kFit>
__global__ void __launch_bounds__(kMostThreads)
    row_kernel(Operation operation, RowsShape shape, const T* __restrict__ values, T* __restrict__ results) {
  // Two trees, and two turns of each: a thread that is a barrier ahead writes what no other reads any more.
  __shared__ float of_warps[4][kMostWarps];
  RowPlace place{static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x), static_cast<int>(shape.columns),
                 blockIdx.x};
  RowPart<T, kFit> next;
  next.load(values + place.row * shape.columns, place);
  for (int turn = 0; place.row < shape.rows; turn ^= 2) {
    auto kept = operation.template keep<T, kFit>(next);
    const std::size_t following = place.row + gridDim.x;
    if (following < shape.rows) next.load(values + following * shape.columns, place);
    RowTotals totals;
    totals.first = joined_over_block(operation.template first<T, kFit>(kept, place), neutral_first<Operation>(),
                                     of_warps[turn], [](float a, float b) { return joined_first<Operation>(a, b); });
    if constexpr (Operation::kHasSecond) {
      totals.second = joined_over_block(operation.template second<T, kFit>(kept, place, totals.first), 0.0f,
                                        of_warps[turn + 1], [](float a, float b) { return a + b; });
    }
    operation.template finish<T, kFit>(kept, place, totals, results + place.row * shape.columns);
    place.row = following;
  }
}

template <class Operation, class T>
auto row_kernel_of(RowFit fit) {
  if (fit == RowFit::full) return &row_kernel<Operation, T, RowFit::full>;
  return fit == RowFit::whole ? &row_kernel<Operation, T, RowFit::whole> : &row_kernel<Operation, T, RowFit::ragged>;
}

template <class T>
void check_shape(const RowsShape& shape) {
  assert(shape.columns >= 1 && shape.columns <= kMostColumns<T>);
  static_cast<void>(shape);
}

template <class Operation, class T>
void launch_rows(const Operation& operation, const RowsShape& shape, const T* values, T* results, cudaStream_t stream) {
  check_shape<T>(shape);
  if (shape.rows == 0) return;
  const int threads = threads_of_row<T>(shape.columns);
  const auto kernel = row_kernel_of<Operation, T>(row_fit<T>(shape.columns));
  const std::size_t room = resident_blocks(reinterpret_cast<const void*>(kernel), threads);
  const auto blocks = static_cast<unsigned>(std::min(shape.rows, room));
  kernel<<<blocks, static_cast<unsigned>(threads), 0, stream>>>(operation, shape, values, results);
  cuda::check(cudaGetLastError(), "launching a kernel on rows");
}

}  // namespace steelyard::cuda_suite
