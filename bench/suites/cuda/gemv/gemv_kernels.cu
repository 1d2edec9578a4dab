#include "bench/suites/cuda/gemv/gemv_kernels.hpp"

#include <cuda_runtime_api.h>

#include "bench/cuda/cuda_handles.hpp"
#include "bench/suites/cuda/arithmetic/block_join.cuh"

namespace steelyard::cuda_suite {
namespace {

// Of kManyAhead: registers for all of them, or the compiler would rather have more blocks. Else its own choice (0).
template <class Weight, int kRows, bool kWhole, int kAhead>
__global__ void __launch_bounds__(256, kAhead == kManyAhead ? 4 : 0) gemv_kernel(GemvOperands<Weight> operands) {
  __shared__ GemvSums<kRows> of_warps[kMaxWarps];
  const GemvPlace place{std::size_t{blockIdx.x} * kRows, static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x)};
  const GemvSums<kRows> own = gemv_thread<Weight, kRows, kWhole, kAhead>(operands, place);
  const GemvSums<kRows> whole = joined_over_block(
      own, GemvSums<kRows>{}, of_warps, [](const GemvSums<kRows>& a, const GemvSums<kRows>& b) { return added(a, b); });
  gemv_write<Weight, kRows>(operands, place, whole);
}

template <class Weight, int kRows, int kAhead = 2>
void launch(const GemvOperands<Weight>& operands, int threads, cudaStream_t stream) {
  const std::size_t results = operands.products * operands.shape.rows;
  const auto blocks = static_cast<unsigned>((results + kRows - 1) / kRows);
  const auto kernel = operands.shape.columns % kLanes<Weight> == 0 ? &gemv_kernel<Weight, kRows, true, kAhead>
                                                                   : &gemv_kernel<Weight, kRows, false, kAhead>;
  kernel<<<blocks, static_cast<unsigned>(threads), 0, stream>>>(operands);
  cuda::check(cudaGetLastError(), "launching a product with a vector");
}

}  // namespace

template <class Weight>
void launch_gemv(const GemvOperands<Weight>& operands, const GemvPlan& plan, cudaStream_t stream) {
  if (operands.products * operands.shape.rows == 0) return;
  if constexpr (kMayHaveWholeRows<Weight>) {
    if (plan.ahead == kManyAhead) return launch<Weight, 1, kManyAhead>(operands, plan.threads, stream);
  }
  if (plan.rows == 4) return launch<Weight, 4>(operands, plan.threads, stream);
  if (plan.rows == 2) return launch<Weight, 2>(operands, plan.threads, stream);
  launch<Weight, 1>(operands, plan.threads, stream);
}

template void launch_gemv<float>(const GemvOperands<float>&, const GemvPlan&, cudaStream_t);
template void launch_gemv<Bf16>(const GemvOperands<Bf16>&, const GemvPlan&, cudaStream_t);
template void launch_gemv<std::int8_t>(const GemvOperands<std::int8_t>&, const GemvPlan&, cudaStream_t);

}  // namespace steelyard::cuda_suite
