// One kernel for all operations on rows (row_kernels.hpp): blocks stay and take rows in turn. While a block works on
// a row, the next one is on its way to shared memory, so that memory is never idle while threads wait for each other in
// their trees. A thread copies and reads its own packs alone: no barrier is needed for that.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cassert>

#include "bench/cuda/cuda_handles.hpp"
#include "bench/suites/cuda/arithmetic/block_join.cuh"
#include "bench/suites/cuda/arithmetic/current_device.hpp"
#include "bench/suites/cuda/rows/row_kernels.hpp"

namespace steelyard::cuda_suite {

// Shared memory of one block for its next row: thread t's pack k at k threads + t, so that a warp's lie side by side.
// A block that takes several rows has a place for each, one behind the other.
template <class T, RowFit kFit>
class RowAhead {
 public:
  // Asks for the thread's packs of a row.
  __device__ static void copy(const T* row, const RowPlace& place, int slot = 0) {
#ifdef __CUDA_ARCH__
#pragma unroll
    for (int k = 0; k < kRowPacks; ++k) {
      if (lanes_inside<T, kFit>(place, k) == 0) continue;
      copy_ahead(packs(place, slot) + place.thread + k * place.threads, row + first_column<T>(place, k));
    }
#endif
  }

  // The packs that were asked for last.
  __device__ static RowPart<T, kFit> take(const RowPlace& place, int slot = 0) {
    RowPart<T, kFit> part;
#ifdef __CUDA_ARCH__
    wait_for_copies();
#pragma unroll
    for (int k = 0; k < kRowPacks; ++k) {
      part.packs[k] =
          lanes_inside<T, kFit>(place, k) > 0 ? packs(place, slot)[place.thread + k * place.threads] : Pack{};
    }
#endif
    return part;
  }

  static std::size_t bytes(int threads) { return static_cast<std::size_t>(threads) * kRowPacks * sizeof(Pack); }

 private:
  __device__ static Pack* packs(const RowPlace& place, int slot) {
    extern __shared__ Pack row_ahead[];
    return row_ahead + slot * place.threads * kRowPacks;
  }
};

template <class Operation, class T, RowFit kFit>
__global__ void __launch_bounds__(kMaxThreads)
    row_kernel(Operation operation, RowsShape shape, const T* __restrict__ values, T* __restrict__ results) {
  using Ahead = RowAhead<T, kFit>;
  // Two trees, and two turns of each: a thread that is a barrier ahead writes what no other reads any more.
  __shared__ float of_warps[4][kMaxWarps];
  RowPlace place{static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x), static_cast<int>(shape.columns),
                 blockIdx.x};
  if constexpr (kFit != RowFit::ragged) Ahead::copy(values + place.row * shape.columns, place);
  for (int turn = 0; place.row < shape.rows; turn ^= 2) {
    RowPart<T, kFit> part;
    if constexpr (kFit == RowFit::ragged) {
      part.load(values + place.row * shape.columns, place);
    } else {
      part = Ahead::take(place);
    }
    auto kept = operation.template keep<T, kFit>(part);
    RowTotals totals;
    totals.first = operation.template first<T, kFit>(kept, place);
    const std::size_t following = place.row + gridDim.x;
    if constexpr (kFit != RowFit::ragged) {
#ifdef __CUDA_ARCH__
      used_before_copies(totals.first);
#endif
      if (following < shape.rows) Ahead::copy(values + following * shape.columns, place);
    }
    totals.first = joined_over_block(totals.first, neutral_first<Operation>(), of_warps[turn],
                                     [](float a, float b) { return joined_first<Operation>(a, b); });
    if constexpr (Operation::kHasSecond) {
      totals.second = joined_over_block(operation.template second<T, kFit>(kept, place, totals.first), 0.0f,
                                        of_warps[turn + 1], [](float a, float b) { return a + b; });
    }
    operation.template finish<T, kFit>(kept, place, totals, results + place.row * shape.columns);
    place.row = following;
  }
}

// Layer normalization of two rows at a time: each parameter is loaded once for both, and a tree joins both rows'
// numbers.
template <RowFit kFit>
__global__ void __launch_bounds__(kPairThreads)
    layer_norm_pairs_kernel(LayerNorm operation, RowsShape shape, const Bf16* __restrict__ values,
                            Bf16* __restrict__ results) {
  using Ahead = RowAhead<Bf16, kFit>;
  __shared__ RowPair of_warps[4][kMaxWarps];
  RowPlace place{static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x), static_cast<int>(shape.columns),
                 2 * std::size_t{blockIdx.x}};
  const auto copy_pair = [&](std::size_t first) {
    for (int row = 0; row < 2; ++row) {
      if (first + row < shape.rows) Ahead::copy(values + (first + row) * shape.columns, place, row);
    }
  };
  const auto join = [](const RowPair& a, const RowPair& b) { return added(a, b); };
  copy_pair(place.row);
  for (int turn = 0; place.row < shape.rows; turn ^= 2) {
    const bool has_second = place.row + 1 < shape.rows;
    KeptPacks<Bf16> kept[2];
    RowPair own;
#pragma unroll
    for (int row = 0; row < 2; ++row) {
      kept[row] = row == 0 || has_second ? kept_packs(Ahead::take(place, row)) : KeptPacks<Bf16>{};
      own.of_row[row] = operation.template first<Bf16, kFit>(kept[row], place);
    }
    const std::size_t following = place.row + 2 * std::size_t{gridDim.x};
#ifdef __CUDA_ARCH__
    used_before_copies(own.of_row[0]);
    used_before_copies(own.of_row[1]);
#endif
    copy_pair(following);
    const RowPair first = joined_over_block(own, RowPair{}, of_warps[turn], join);
#pragma unroll
    for (int row = 0; row < 2; ++row) {
      own.of_row[row] = operation.template second<Bf16, kFit>(kept[row], place, first.of_row[row]);
    }
    const RowPair second = joined_over_block(own, RowPair{}, of_warps[turn + 1], join);
    Bf16* const to = results + place.row * shape.columns;
    operation.template finish_pair<Bf16, kFit>(
        kept, place, {{first.of_row[0], second.of_row[0]}, {first.of_row[1], second.of_row[1]}},
        {to, has_second ? to + shape.columns : nullptr});
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
  assert(shape.columns >= 1 && shape.columns <= kMaxColumns<T>);
  static_cast<void>(shape);
}

template <class Operation, class T>
void launch_rows(const Operation& operation, const RowsShape& shape, const T* values, T* results, cudaStream_t stream,
                 FirstCache cache = FirstCache::largest) {
  check_shape<T>(shape);
  if (shape.rows == 0) return;
  const int threads = threads_of_row<T>(shape.columns);
  const auto kernel = row_kernel_of<Operation, T>(row_fit<T>(shape.columns));
  const std::size_t ahead = row_fit<T>(shape.columns) == RowFit::ragged ? 0 : RowAhead<T, RowFit::full>::bytes(threads);
  const auto* address = reinterpret_cast<const void*>(kernel);
  if (ahead > kFreeSharedMemory) allow_shared_memory(address, ahead);
  const std::size_t room = resident_blocks(address, threads, ahead);
  prefer_shared_memory(address, cache == FirstCache::largest ? room * ahead : kAsTheDriverHasIt);
  const auto blocks = static_cast<unsigned>(std::min(shape.rows, room));
  kernel<<<blocks, static_cast<unsigned>(threads), ahead, stream>>>(operation, shape, values, results);
  cuda::check(cudaGetLastError(), "launching a kernel on rows");
}

}  // namespace steelyard::cuda_suite
