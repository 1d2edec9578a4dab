// What workloads and launches ask of the current device. All throw cuda::CudaError.
#pragma once

#include <cstddef>

namespace steelyard::cuda_suite {

// How many blocks of a kernel there is room for at once, at least 1: the grid of a kernel whose blocks stay and take
// work in turn. kernel: the address of a __global__ function. May be called while a stream is captured.
unsigned resident_blocks(const void* kernel, int threads);

int multiprocessors();

// Of the current device's last cache, in bytes; 0 where it does not say.
std::size_t cache_bytes();

// Until everything enqueued so far is done. `what`: for the message.
void wait_until_done(const char* what);

}  // namespace steelyard::cuda_suite
