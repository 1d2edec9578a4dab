// How much of the machine the control groups of this process leave it. Below the machine's own size, a timing is a
// timing of the quota as well.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace steelyard {

struct CgroupLimits {
  std::optional<double> cores;  // processor time per time; absent: unlimited
  std::optional<std::int64_t> memory_bytes;
  bool operator==(const CgroupLimits&) const = default;
};

// The least over this process's group and all above it, version 2 or 1. `root` is "/" but in tests.
CgroupLimits read_cgroup_limits(const std::filesystem::path& root = "/");

}  // namespace steelyard
