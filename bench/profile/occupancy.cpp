#include "bench/profile/occupancy.hpp"

#include <algorithm>
#include <limits>

namespace steelyard::bench {
namespace {

constexpr std::uint64_t kThreadsOfWarp = 32;
constexpr std::uint64_t kRegisterUnit = 256;     // of a warp
constexpr std::uint64_t kPartitions = 4;         // of a multiprocessor, each with a part of the registers
constexpr std::uint64_t kMaxThreads = 1024;      // of a block
constexpr std::uint64_t kReservedShared = 1024;  // of a block, from 8.0 on, for the driver
constexpr std::uint64_t kMaxRegisters = 256;     // of a thread
constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

std::uint64_t threads_of(const KernelLaunch& launch) {
  return std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
}
std::uint64_t warps_of(std::uint64_t threads) { return (threads + kThreadsOfWarp - 1) / kThreadsOfWarp; }

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

std::uint64_t blocks_by_registers(std::uint64_t registers, std::uint64_t warps, const MultiprocessorLimits& limits) {
  const std::uint64_t of_warp = rounded_up(registers * kThreadsOfWarp, kRegisterUnit);
  if (of_warp == 0) return kNoLimit;
  // The processor checks a block as if its warps were dealt to all parts alike.
  if (registers > kMaxRegisters || of_warp * rounded_up(warps, kPartitions) > limits.registers) return 0;
  return limits.registers / kPartitions / of_warp * kPartitions / warps;
}

std::uint64_t blocks_by_shared_memory(const KernelLaunch& launch, const MultiprocessorLimits& limits) {
  const bool is_reserved = limits.capability_major >= 8;
  const std::uint64_t wanted =
      std::uint64_t{launch.static_shared_bytes} + launch.dynamic_shared_bytes + (is_reserved ? kReservedShared : 0);
  const std::uint64_t of_block = rounded_up(wanted, is_reserved ? 128 : 256);
  return of_block == 0 ? kNoLimit : limits.shared_bytes / of_block;
}

}  // namespace

// As cuda_occupancy.h has it.
std::uint32_t max_blocks_of(int capability_major, int capability_minor) {
  switch (capability_major) {
    case 7:
      return capability_minor == 5 ? 16 : 32;
    case 8:
      return capability_minor == 0 ? 32 : capability_minor == 9 ? 24 : 16;
    case 9:
      return 32;
    case 10:
      return capability_minor == 1 ? 24 : 32;
    case 11:
      return capability_minor == 0 ? 24 : 32;
    case 12:
      return 24;
    default:
      return 0;
  }
}

std::optional<double> occupancy_of(const KernelLaunch& launch, const MultiprocessorLimits& limits) {
  const bool is_known =
      limits.capability_major >= 7 && limits.capability_major <= 12 && limits.max_warps > 0 && limits.max_blocks > 0;
  if (!is_known || std::count(launch.block.begin(), launch.block.end(), 0U) > 0) return std::nullopt;
  if (*std::max_element(launch.block.begin(), launch.block.end()) > kMaxThreads) return 0;
  const std::uint64_t threads = threads_of(launch);
  if (threads > kMaxThreads) return 0;
  const std::uint64_t warps = warps_of(threads);
  const std::uint64_t blocks =
      std::min({limits.max_warps / warps, std::uint64_t{limits.max_blocks},
                blocks_by_registers(launch.registers, warps, limits), blocks_by_shared_memory(launch, limits)});
  return static_cast<double>(blocks * warps) / limits.max_warps;
}

std::optional<double> achieved_occupancy_of(const KernelLaunch& launch, const MultiprocessorLimits& limits) {
  const std::uint64_t threads = threads_of(launch);
  if (!launch.occupancy || !launch.blocks_a_multiprocessor || threads == 0 || limits.max_warps == 0) {
    return std::nullopt;
  }
  const double that_fit = *launch.occupancy * limits.max_warps / static_cast<double>(warps_of(threads));
  return std::min(that_fit, *launch.blocks_a_multiprocessor) * static_cast<double>(threads) /
         static_cast<double>(limits.max_warps * kThreadsOfWarp);
}

}  // namespace steelyard::bench
