#include "bench/suites/cuda/arithmetic/current_device.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <string>

#include "bench/cuda/cuda_handles.hpp"

namespace steelyard::cuda_suite {

int multiprocessors() {
  int device = 0;
  int count = 0;
  cuda::check(cudaGetDevice(&device), "asking for the device");
  cuda::check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device), "counting multiprocessors");
  return count;
}

unsigned resident_blocks(const void* kernel, int threads, std::size_t shared_bytes) {
  int of_one = 0;
  cuda::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_one, kernel, threads, shared_bytes),
              "asking how many blocks of a kernel fit");
  return static_cast<unsigned>(std::max(1, of_one) * std::max(1, multiprocessors()));
}

void allow_shared_memory(const void* kernel, std::size_t bytes) {
  cuda::check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
              "asking for shared memory of " + std::to_string(bytes) + " bytes a block");
}

std::size_t cache_bytes() {
  int device = 0;
  int bytes = 0;
  cuda::check(cudaGetDevice(&device), "asking for the device");
  cuda::check(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, device), "asking for the cache's size");
  return static_cast<std::size_t>(std::max(0, bytes));
}

void wait_until_done(const char* what) { cuda::check(cudaDeviceSynchronize(), what); }

}  // namespace steelyard::cuda_suite
