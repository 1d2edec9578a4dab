// What workloads and launches ask of the current device. All throw cuda::CudaError.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bench/cuda/workload.hpp"
#include "bench/suites/cuda/arithmetic/narrow_floats.hpp"

namespace steelyard::cuda_suite {

// How many blocks of a kernel there is room for at once, at least 1: the grid of a kernel whose blocks stay and take
// work in turn. kernel: the address of a __global__ function. May be called while a stream is captured.
// shared_bytes: what each block is given at its launch.
unsigned resident_blocks(const void* kernel, int threads, std::size_t shared_bytes);

// Shared memory that a launch may ask for unannounced; for more, allow_shared_memory() has to be called before.
inline constexpr std::size_t kFreeSharedMemory = 47 * 1024;
void allow_shared_memory(const void* kernel, std::size_t bytes);

// How much of its memory each multiprocessor is to give as shared memory, of which all resident blocks of the device
// take `bytes`; what is left is its first cache. The driver may give more.
void prefer_shared_memory(const void* kernel, std::size_t bytes);

int multiprocessors();

// Of the current device's last cache, in bytes; 0 where it does not say.
std::size_t cache_bytes();

// Until everything enqueued so far is done. `what`: for the message.
void wait_until_done(const char* what);

// Fills device memory with the values of seeded_inputs.hpp, at the memory's rate.

// values[i] = seeded_value<T>(seed, i, limit) for i < n. T: float, F16, Bf16, std::int8_t. Enqueues; throws
// cuda::CudaError.
template <class T>
void fill_seeded(T* values, std::size_t n, std::uint64_t seed, cudaStream_t stream, float limit = 1.0f);

}  // namespace steelyard::cuda_suite
