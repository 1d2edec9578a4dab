// How much of the machine the control groups of this process leave it. Below the machine's own size, a timing is a
// timing of the quota as well.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace steelyard::bench {

struct CgroupLimits {
  std::optional<double> cores;  // processor time per time; absent: unlimited
  std::optional<std::int64_t> memory_bytes;
  bool operator==(const CgroupLimits&) const = default;
};

// The least over this process's group and all above it, version 2 or 1. `root` is "/" but in tests.
CgroupLimits read_cgroup_limits(const std::filesystem::path& root = "/");

// How often the quota of processor time held this process's groups back since they were made: of `periods` that had
// work to do, `throttled` ran out of time. Of the group, or one above it, that was held back most; absent without a
// quota.
struct CgroupThrottling {
  std::int64_t periods = 0;
  std::int64_t throttled = 0;
  bool operator==(const CgroupThrottling&) const = default;
};
std::optional<CgroupThrottling> read_cgroup_throttling(const std::filesystem::path& root = "/");

}  // namespace steelyard::bench
