// Fills device memory with the values of seeded_inputs.hpp, at the memory's rate.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bench/cuda/workload.hpp"
#include "bench/suites/cuda/arithmetic/narrow_floats.hpp"

namespace steelyard::cuda_suite {

// values[i] = seeded_value<T>(seed, i, limit) for i < n. T: float, F16, Bf16, std::int8_t. Enqueues; throws
// cuda::CudaError.
template <class T>
void fill_seeded(T* values, std::size_t n, std::uint64_t seed, cudaStream_t stream, float limit = 1.0f);

}  // namespace steelyard::cuda_suite
