// What a device can do at most, as workloads: copying, reading and writing its memory, the bandwidth that other kernels
// are held against; and launching a kernel that does nothing.
#pragma once

#include <memory>
#include <string>

#include "bench/cuda/workload.hpp"

namespace steelyard::cuda_suite {

// Of each array: far larger than any cache of a device.
inline constexpr std::size_t kPassBytes = std::size_t{1} << 30;

// access: "copy", "read" or "write".
std::unique_ptr<cuda::Workload> make_memory_pass(const std::string& access, std::size_t bytes = kPassBytes);

std::unique_ptr<cuda::Workload> make_empty_launch();

}  // namespace steelyard::cuda_suite
