// What a device says of itself, as far as a benchmark has to know it. Plain values: filled from the CUDA runtime on a
// machine with a device, by hand in tests.
#pragma once

#include <cstdint>
#include <string>

#include "bench/model/quantity.hpp"

namespace steelyard::cuda {

struct DeviceProperties {
  int index = 0;     // as the runtime counts
  std::string name;  // "NVIDIA H100 80GB HBM3"
  std::string uuid;  // "GPU-..." or "MIG-..."
  int capability_major = 0;
  int capability_minor = 0;
  int multiprocessors = 0;
  Bytes memory;
  Bytes l2;
  std::int64_t max_sm_clock_hz = 0;      // 0: the device does not say
  std::int64_t max_memory_clock_hz = 0;  // 0: the device does not say
  bool ecc = false;

  // 8.9 is 89, 10.0 is 100.
  int capability() const { return 10 * capability_major + capability_minor; }
  std::string capability_text() const {
    return std::to_string(capability_major) + "." + std::to_string(capability_minor);
  }
  bool operator==(const DeviceProperties&) const = default;
};

}  // namespace steelyard::cuda
