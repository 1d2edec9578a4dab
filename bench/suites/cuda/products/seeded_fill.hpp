// Operands on the device, from a seed: number i is a function of the seed and i (seeded_inputs.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "bench/suites/cuda/products/number_format.hpp"

struct CUstream_st;

namespace steelyard::cuda_suite {

// f32, f16, bf16, e4m3: even over [-limit, limit), rounded; s8: -127 to 127, whatever the limit. Enqueues; throws
// CudaError. There is no s32.
void fill_seeded(NumberFormat format, void* numbers, std::size_t count, std::uint64_t seed, CUstream_st* stream,
                 float limit = 1.0f);

}  // namespace steelyard::cuda_suite
