// How many blocks of a kernel the current device has room for at once: the grid of a kernel whose blocks stay and take
// work in turn.
#pragma once

namespace steelyard::cuda_suite {

// At least 1. kernel: the address of a __global__ function. Throws cuda::CudaError. May be called while a stream is
// captured.
unsigned resident_blocks(const void* kernel, int threads);

int multiprocessors();

}  // namespace steelyard::cuda_suite
