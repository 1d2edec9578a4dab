// The data caches above one core, from /sys, else from the processor itself, else guessed; which of these is said.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/ceilings/cpu_identity.hpp"

namespace steelyard {

struct CacheLevel {
  int level = 0;  // 1, 2, 3
  std::int64_t bytes = 0;
  std::vector<int> cores;  // that share it, this one among them; empty: not said
  bool operator==(const CacheLevel&) const = default;
};

struct CacheLevels {
  std::vector<CacheLevel> levels;  // ascending, each level once; data or unified
  std::string note;                // empty: /sys said all; else where the sizes come from
};

// `root` is "/" but in tests. `cpuid`: of the processor; empty where there is none.
CacheLevels read_cache_levels(const std::filesystem::path& root, int core, const CpuidReader& cpuid);

// "48K", "32768K", "2M"; 0 where it is no such size.
std::int64_t parse_cache_size(std::string_view text);

}  // namespace steelyard
