#include "bench/suites/cuda/arithmetic/current_device.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <string>

#include "bench/cuda/cuda_handles.hpp"

namespace steelyard::cuda_suite {

namespace {

int attribute(cudaDeviceAttr which, const char* what) {
  int device = 0;
  int value = 0;
  cuda::check(cudaGetDevice(&device), "asking for the device");
  cuda::check(cudaDeviceGetAttribute(&value, which, device), what);
  return value;
}

}  // namespace

int multiprocessors() { return attribute(cudaDevAttrMultiProcessorCount, "counting multiprocessors"); }

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

void prefer_shared_memory(const void* kernel, std::size_t bytes) {
  // Each block takes some more for itself: what is static, and a kilobyte of the system's.
  constexpr std::size_t kPart = 10;
  const auto whole =
      static_cast<std::size_t>(attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor, "asking for the shared memory"));
  const std::size_t wanted = bytes / static_cast<std::size_t>(multiprocessors()) * (kPart + 1) / kPart;
  const int percent = static_cast<int>(std::min<std::size_t>((100 * wanted + whole - 1) / whole, 100));
  cuda::check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, percent),
              "choosing a kernel's shared memory");
}

std::size_t cache_bytes() {
  return static_cast<std::size_t>(std::max(0, attribute(cudaDevAttrL2CacheSize, "asking for the cache's size")));
}

void wait_until_done(const char* what) { cuda::check(cudaDeviceSynchronize(), what); }

}  // namespace steelyard::cuda_suite
