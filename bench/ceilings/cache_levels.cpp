#include "bench/ceilings/cache_levels.hpp"

#include <algorithm>

#include "bench/environment/system_file.hpp"

namespace steelyard {
namespace {

constexpr std::int64_t kLargestCache = std::int64_t{1} << 40;
constexpr int kMostIndexes = 16;  // folders or leaves of a core; real ones have four or five

void add(std::vector<CacheLevel>& levels, CacheLevel found) {
  if (found.level < 1 || found.level > 3 || found.bytes <= 0 || found.bytes > kLargestCache) return;
  const auto at =
      std::find_if(levels.begin(), levels.end(), [&](const CacheLevel& other) { return other.level >= found.level; });
  if (at != levels.end() && at->level == found.level) return;
  levels.insert(at, std::move(found));
}

std::vector<CacheLevel> levels_of_sysfs(const std::filesystem::path& root, int core) {
  std::vector<CacheLevel> levels;
  const std::filesystem::path folder = root / "sys/devices/system/cpu" / ("cpu" + std::to_string(core)) / "cache";
  for (int i = 0; i < kMostIndexes; ++i) {
    const std::filesystem::path index = folder / ("index" + std::to_string(i));
    const std::string type = read_system_file(index / "type").value_or("");
    if (type != "Data" && type != "Unified") continue;
    CacheLevel level;
    level.level = static_cast<int>(read_system_number(index / "level").value_or(0));
    level.bytes = parse_cache_size(read_system_file(index / "size").value_or(""));
    level.cores = parse_core_list(read_system_file(index / "shared_cpu_list").value_or(""));
    add(levels, std::move(level));
  }
  return levels;
}

// Deterministic cache parameters: leaf 4 on Intel's, 0x8000001D on AMD's, in one layout (Intel SDM volume 2, CPUID; AMD
// APM volume 3, appendix E).
std::vector<CacheLevel> levels_of_cpuid(const CpuidReader& cpuid) {
  std::vector<CacheLevel> levels;
  if (!cpuid) return levels;
  const bool is_amd = cpuid(0x80000000, 0).eax >= 0x8000001D && cpuid(4, 0).eax == 0;
  for (std::uint32_t i = 0; i < kMostIndexes; ++i) {
    const CpuidWords words = cpuid(is_amd ? 0x8000001D : 4, i);
    const std::uint32_t type = words.eax & 0x1F;
    if (type == 0) break;
    constexpr std::uint32_t kInstructions = 2;
    if (type == kInstructions) continue;
    CacheLevel level;
    level.level = static_cast<int>(words.eax >> 5 & 0x7);
    const std::int64_t ways = (words.ebx >> 22 & 0x3FF) + 1;
    const std::int64_t partitions = (words.ebx >> 12 & 0x3FF) + 1;
    const std::int64_t line = (words.ebx & 0xFFF) + 1;
    level.bytes = ways * partitions * line * (std::int64_t{words.ecx} + 1);
    add(levels, std::move(level));
  }
  return levels;
}

}  // namespace

std::int64_t parse_cache_size(std::string_view text) {
  std::int64_t unit = 1;
  if (text.ends_with('K')) unit = 1024;
  if (text.ends_with('M')) unit = 1024 * 1024;
  if (unit > 1) text.remove_suffix(1);
  const auto number = parse_number(text);
  if (!number || *number <= 0 || *number > kLargestCache / unit) return 0;
  return *number * unit;
}

CacheLevels read_cache_levels(const std::filesystem::path& root, int core, const CpuidReader& cpuid) {
  CacheLevels caches;
  caches.levels = levels_of_sysfs(root, core);
  if (!caches.levels.empty()) return caches;
  const std::string where = (root / "sys/devices/system/cpu/cpu").string() + std::to_string(core) + "/cache";
  caches.levels = levels_of_cpuid(cpuid);
  if (!caches.levels.empty()) {
    caches.note = where + " cannot be read: the sizes of caches are those that the processor says (CPUID)";
    return caches;
  }
  // The smallest that processors of the last decade have; deeper levels differ too much to guess.
  caches.levels = {{1, 32 * 1024, {}}};
  caches.note = where + " cannot be read: L1 is taken for 32 KiB, and what lies between it and the memory is left out";
  return caches;
}

}  // namespace steelyard
