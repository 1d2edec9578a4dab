// One kernel for all operations on rows (row_kernels.hpp): blocks stay, and take every so many-th row or claim the next
// one. While a block works on a row, the next is on its way to shared memory, so that memory is never idle while
// threads wait for each other in their trees. A thread copies and reads its own packs alone: no barrier is needed for
// that.
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
template <class T, RowFit kFit>
class RowAhead {
 public:
  // Asks for the thread's packs of a row.
  __device__ static void copy(const T* row, const RowPlace& place) {
#ifdef __CUDA_ARCH__
#pragma unroll
    for (int k = 0; k < kRowPacks; ++k) {
      if (lanes_inside<T, kFit>(place, k) == 0) continue;
      copy_ahead(packs() + place.thread + k * place.threads, row + first_column<T>(place, k));
    }
#endif
  }

  // The packs that were asked for last.
  __device__ static RowPart<T, kFit> take(const RowPlace& place) {
    RowPart<T, kFit> part;
#ifdef __CUDA_ARCH__
    wait_for_copies();
#pragma unroll
    for (int k = 0; k < kRowPacks; ++k) {
      part.packs[k] = lanes_inside<T, kFit>(place, k) > 0 ? packs()[place.thread + k * place.threads] : Pack{};
    }
#endif
    return part;
  }

  static std::size_t bytes(int threads) { return static_cast<std::size_t>(threads) * kRowPacks * sizeof(Pack); }

 private:
  __device__ static Pack* packs() {
    extern __shared__ Pack row_ahead[];
    return row_ahead;
  }
};

[[maybe_unused]] static __device__ unsigned claims_made;  // of the launch that runs; 0 between launches

// A claim is made while the row before the claimed one is worked on, and told to the block by the barrier of its last
// tree.
template <class Operation, class T, RowFit kFit, bool kClaims = false>
__global__ void __launch_bounds__(kMaxThreads)
    row_kernel(Operation operation, RowsShape shape, const T* __restrict__ values, T* __restrict__ results) {
  using Ahead = RowAhead<T, kFit>;
  // Two trees, and two turns of each: a thread that is a barrier ahead writes what no other reads any more.
  __shared__ float of_warps[4][kMaxWarps];
  // In turn, too: a thread may read one while the first thread, a barrier ahead, writes the other.
  [[maybe_unused]] __shared__ unsigned claims[2];
  RowPlace place{static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x), static_cast<int>(shape.columns),
                 blockIdx.x};
  if constexpr (kFit != RowFit::ragged) Ahead::copy(values + place.row * shape.columns, place);
  std::size_t claimed = 0;
  if constexpr (kClaims) {
    if (threadIdx.x == 0) claims[1] = atomicInc(&claims_made, last_claim(shape));
    __syncthreads();
    claimed = row_of_claim(gridDim.x, claims[1]);
  }
  for (int turn = 0; place.row < shape.rows; turn ^= 2) {
    const std::size_t following = kClaims ? claimed : place.row + gridDim.x;
    const bool goes_on = following < shape.rows;
    const bool claims_now = kClaims && goes_on && threadIdx.x == 0;
    unsigned claim = 0;
    if (claims_now) claim = atomicInc(&claims_made, last_claim(shape));
    RowPart<T, kFit> part;
    if constexpr (kFit == RowFit::ragged) {
      part.load(values + place.row * shape.columns, place);
    } else {
      part = Ahead::take(place);
    }
    auto kept = operation.template keep<T, kFit>(part);
    RowTotals totals;
    totals.first = operation.template first<T, kFit>(kept, place);
    if constexpr (kFit != RowFit::ragged) {
#ifdef __CUDA_ARCH__
      used_before_copies(totals.first);
#endif
      if (goes_on) Ahead::copy(values + following * shape.columns, place);
    }
    if (!Operation::kHasSecond && claims_now) claims[turn / 2] = claim;
    totals.first = joined_over_block(totals.first, neutral_first<Operation>(), of_warps[turn],
                                     [](float a, float b) { return joined_first<Operation>(a, b); });
    if constexpr (Operation::kHasSecond) {
      if (claims_now) claims[turn / 2] = claim;
      totals.second = joined_over_block(operation.template second<T, kFit>(kept, place, totals.first), 0.0f,
                                        of_warps[turn + 1], [](float a, float b) { return a + b; });
    }
    operation.template finish<T, kFit>(kept, place, totals, results + place.row * shape.columns);
    place.row = following;
    if (kClaims && goes_on) claimed = row_of_claim(gridDim.x, claims[turn / 2]);
  }
}

template <class Operation, class T>
auto row_kernel_of(std::size_t columns) {
  if constexpr (kMayClaim<Operation, T>) {
    if (claims_rows<Operation, T>(columns)) return &row_kernel<Operation, T, RowFit::full, true>;
  }
  const RowFit fit = row_fit<T>(columns);
  if (fit == RowFit::full) return &row_kernel<Operation, T, RowFit::full>;
  return fit == RowFit::whole ? &row_kernel<Operation, T, RowFit::whole> : &row_kernel<Operation, T, RowFit::ragged>;
}

template <class T>
void check_shape(const RowsShape& shape) {
  assert(shape.columns >= 1 && shape.columns <= kMaxColumns<T>);
  static_cast<void>(shape);
}

template <class Operation, class T>
void launch_rows(const Operation& operation, const RowsShape& shape, const T* values, T* results, cudaStream_t stream) {
  check_shape<T>(shape);
  if (shape.rows == 0) return;
  const int threads = threads_of_row<T>(shape.columns);
  const std::size_t ahead = row_fit<T>(shape.columns) == RowFit::ragged ? 0 : RowAhead<T, RowFit::full>::bytes(threads);
  const auto kernel = row_kernel_of<Operation, T>(shape.columns);
  const auto* address = reinterpret_cast<const void*>(kernel);
  if (ahead > kFreeSharedMemory) allow_shared_memory(address, ahead);
  const std::size_t room = resident_blocks(address, threads, ahead);
  // The rest is a cache: parameters that every row reads again have to be in it, 128 KiB of 16384 columns.
  prefer_shared_memory(address, room * ahead);
  const auto blocks = static_cast<unsigned>(std::min(shape.rows, room));
  kernel<<<blocks, static_cast<unsigned>(threads), ahead, stream>>>(operation, shape, values, results);
  cuda::check(cudaGetLastError(), "launching a kernel on rows");
}

}  // namespace steelyard::cuda_suite
