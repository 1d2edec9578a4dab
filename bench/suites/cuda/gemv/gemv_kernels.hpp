// Matrix times vector on the device (gemv_thread.hpp). Weight: Bf16 or std::int8_t. Enqueues and returns; all arrays of
// the operands lie on the device, from addresses that are multiples of 16. Throws cuda::CudaError.
#pragma once

#include "bench/cuda/workload.hpp"
#include "bench/suites/cuda/gemv/gemv_thread.hpp"

namespace steelyard::cuda_suite {

template <class Weight>
void launch_gemv(const GemvOperands<Weight>& operands, const GemvPlan& plan, cudaStream_t stream);

}  // namespace steelyard::cuda_suite
