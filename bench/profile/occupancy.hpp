// How many warps of a kernel a multiprocessor can hold at a time, as a share of those that it could hold of any. By the
// rules of NVIDIA's cuda_occupancy.h (CUDA 13.0; "theoretical occupancy"): the least that warps, blocks, registers and
// shared memory allow. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "bench/profile/trace.hpp"

namespace steelyard::bench {

// Of one multiprocessor.
struct MultiprocessorLimits {
  int capability_major = 0;
  int capability_minor = 0;
  std::uint32_t max_warps = 0;
  std::uint32_t max_blocks = 0;
  std::uint32_t registers = 0;
  std::uint64_t shared_bytes = 0;  // as it is split off the first-level cache while the kernel runs
};

// Blocks that a multiprocessor of that compute capability can hold. 0: not known.
std::uint32_t max_blocks_of(int capability_major, int capability_minor);

// 0: no block of it fits. Absent: a processor whose rules are not known (before 7.0, after 12.x), or a launch that is
// none.
std::optional<double> occupancy_of(const KernelLaunch& launch, const MultiprocessorLimits& limits);

// The occupancy by the grid: of the threads that a multiprocessor could hold, the share that it has where the launch's
// blocks are dealt to all alike, as many as they are and no more than fit. PyTorch's "est. achieved occupancy". Absent:
// the launch does not say its occupancy or its blocks a multiprocessor.
std::optional<double> achieved_occupancy_of(const KernelLaunch& launch, const MultiprocessorLimits& limits);
inline constexpr std::string_view kAchievedOccupancy = "est. achieved occupancy %";  // in traces

}  // namespace steelyard::bench
