#include "bench/ceilings/cpu_identity.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "bench/environment/system_file.hpp"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

namespace steelyard::bench {
namespace {

constexpr bool has_bit(std::uint64_t word, int bit) { return (word >> bit & 1) != 0; }

// Sets of registers in XCR0.
constexpr std::uint64_t kAvxState = 0x6;         // XMM and the upper halves of YMM
constexpr std::uint64_t kAvx512State = 0xE6;     // those, masks, upper halves of ZMM, ZMM16 to 31
constexpr std::uint64_t kAmxState = 3ULL << 17;  // tile configuration and tile data

void set_name(const CpuidReader& cpuid, CpuIdentity& cpu) {
  const CpuidWords zero = cpuid(0, 0);
  char name[12];
  std::memcpy(name, &zero.ebx, 4);
  std::memcpy(name + 4, &zero.edx, 4);
  std::memcpy(name + 8, &zero.ecx, 4);
  cpu.vendor.assign(name, sizeof(name));
  const std::uint32_t signature = cpuid(1, 0).eax;
  const std::uint32_t family = signature >> 8 & 0xF;
  const std::uint32_t model = signature >> 4 & 0xF;
  cpu.family = static_cast<int>(family == 0xF ? family + (signature >> 20 & 0xFF) : family);
  const bool is_extended = family == 0xF || family == 0x6;
  cpu.model = static_cast<int>(is_extended ? model + ((signature >> 16 & 0xF) << 4) : model);
}

void set_avx512(const CpuidWords& seven, const CpuidWords& seven_one, std::uint64_t kept, CpuIdentity& cpu) {
  if (!has_bit(seven.ebx, 16)) return;
  if ((kept & kAvx512State) != kAvx512State) {
    cpu.avx512_withheld = "the operating system does not keep the AVX-512 registers";
    return;
  }
  cpu.avx512 = true;
  cpu.avx512_fp16 = has_bit(seven.edx, 23);
  cpu.avx512_bf16 = has_bit(seven_one.eax, 5);
  cpu.avx512_vnni = has_bit(seven.ecx, 11);
}

void set_amx(const CpuidWords& seven, std::uint64_t kept, bool is_granted, CpuIdentity& cpu) {
  if (!has_bit(seven.edx, 24)) return;
  if ((kept & kAmxState) != kAmxState) {
    cpu.amx_withheld = "the operating system does not keep the AMX tiles";
  } else if (!is_granted) {
    cpu.amx_withheld = "the kernel did not grant this process the AMX tiles (arch_prctl)";
  } else {
    cpu.amx_bf16 = has_bit(seven.edx, 22);
    cpu.amx_int8 = has_bit(seven.edx, 25);
  }
}

#if defined(__x86_64__)
std::optional<std::uint64_t> kept_registers() {
  constexpr int kOsxsave = 27;
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0 || !has_bit(ecx, kOsxsave)) return std::nullopt;
  std::uint32_t low = 0, high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return std::uint64_t{high} << 32 | low;
}

bool ask_for_tiles() {
  constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr long kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}
#endif

}  // namespace

CpuIdentity identify_cpu(const CpuidReader& cpuid, std::optional<std::uint64_t> xcr0, bool amx_is_granted) {
  CpuIdentity cpu;
  if (!cpuid) return cpu;
  set_name(cpuid, cpu);
  const std::uint64_t kept = xcr0.value_or(0);
  const CpuidWords one = cpuid(1, 0);
  const bool has_seven = cpuid(0, 0).eax >= 7;
  const CpuidWords seven = has_seven ? cpuid(7, 0) : CpuidWords{};
  const CpuidWords seven_one = has_seven && seven.eax >= 1 ? cpuid(7, 1) : CpuidWords{};
  if ((kept & kAvxState) == kAvxState && has_bit(one.ecx, 28)) {
    cpu.avx = true;
    cpu.fma = has_bit(one.ecx, 12);
    cpu.avx2 = has_bit(seven.ebx, 5);
    cpu.avx_vnni = has_bit(seven_one.eax, 4);
  }
  set_avx512(seven, seven_one, kept, cpu);
  set_amx(seven, kept, amx_is_granted, cpu);
  return cpu;
}

#if defined(__x86_64__)
CpuidReader cpuid_reader() {
  return [](std::uint32_t leaf, std::uint32_t subleaf) {
    CpuidWords words;
    if (__get_cpuid_count(leaf, subleaf, &words.eax, &words.ebx, &words.ecx, &words.edx) == 0) return CpuidWords{};
    return words;
  };
}

CpuIdentity identify_cpu() { return identify_cpu(cpuid_reader(), kept_registers(), ask_for_tiles()); }
#else
CpuidReader cpuid_reader() { return {}; }
CpuIdentity identify_cpu() { return {}; }
#endif

namespace {

constexpr std::int64_t kLargestCache = std::int64_t{1} << 40;
constexpr int kMaxIndexes = 16;  // folders or leaves of a core; real ones have four or five

void add_level(std::vector<CacheLevel>& levels, CacheLevel found) {
  if (found.level < 1 || found.level > 3 || found.bytes <= 0 || found.bytes > kLargestCache) return;
  const auto at =
      std::find_if(levels.begin(), levels.end(), [&](const CacheLevel& other) { return other.level >= found.level; });
  if (at != levels.end() && at->level == found.level) return;
  levels.insert(at, std::move(found));
}

std::vector<CacheLevel> levels_of_sysfs(const std::filesystem::path& root, int core) {
  std::vector<CacheLevel> levels;
  const std::filesystem::path folder = root / "sys/devices/system/cpu" / ("cpu" + std::to_string(core)) / "cache";
  for (int i = 0; i < kMaxIndexes; ++i) {
    const std::filesystem::path index = folder / ("index" + std::to_string(i));
    const std::string type = read_system_file(index / "type").value_or("");
    if (type != "Data" && type != "Unified") continue;
    CacheLevel level;
    level.level = static_cast<int>(read_system_number(index / "level").value_or(0));
    level.bytes = parse_cache_size(read_system_file(index / "size").value_or(""));
    level.cores = parse_core_list(read_system_file(index / "shared_cpu_list").value_or(""));
    add_level(levels, std::move(level));
  }
  return levels;
}

// Deterministic cache parameters: leaf 4 on Intel's, 0x8000001D on AMD's, in one layout (Intel SDM volume 2, CPUID; AMD
// APM volume 3, appendix E).
std::vector<CacheLevel> levels_of_cpuid(const CpuidReader& cpuid) {
  std::vector<CacheLevel> levels;
  if (!cpuid) return levels;
  const bool is_amd = cpuid(0x80000000, 0).eax >= 0x8000001D && cpuid(4, 0).eax == 0;
  for (std::uint32_t i = 0; i < kMaxIndexes; ++i) {
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
    add_level(levels, std::move(level));
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

}  // namespace steelyard::bench
