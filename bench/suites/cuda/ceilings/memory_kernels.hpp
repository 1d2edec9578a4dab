// Passes over the device's memory, enqueued. They throw CudaError.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bench/suites/cuda/ceilings/memory_share.hpp"

struct CUstream_st;

namespace steelyard::cuda_suite {

void launch_copy_pass(const Pack* source, Pack* target, std::size_t packs, CUstream_st* stream);
// joined[block] = all words that the block read, by exclusive or: blocks_for(packs) words. A single word for all blocks
// would have them wait for each other.
void launch_read_pass(const Pack* source, std::size_t packs, std::uint32_t* joined, CUstream_st* stream);
void launch_write_pass(Pack* target, std::size_t packs, std::uint32_t key, CUstream_st* stream);

}  // namespace steelyard::cuda_suite
