// A small model on the device, token by token, against double precision on the CPU.
#pragma once

#include <cstdint>

#include "bench/model/result.hpp"
#include "bench/suites/cuda/decoding/decoding_kernels.hpp"

namespace steelyard::cuda_suite {

// Weights and given tokens of `seed`, what a step writes poisoned before every step: the logits of each step that has a
// bound are within it (of eight steps or more), and the token that is drawn in the end is that of the CPU. Error
// (program): which step, which logit, found, wanted. Throws cuda::CudaError.
// steps: more than one turn of the attention's halves, and a last turn that is not full.
inline constexpr std::size_t kCheckedSteps = 21;
template <class Weight>
Result<void> check_tiny_model(const DecodingModel& tiny, std::uint64_t seed, const DecodingPlan& plan,
                              std::size_t steps = kCheckedSteps);

}  // namespace steelyard::cuda_suite
