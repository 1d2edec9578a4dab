// What this processor calls itself and which wide instructions a program may use on it: those that it has and whose
// registers the operating system keeps. Read from the processor itself, since /proc and /sys may be absent.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace steelyard::bench {

struct CpuidWords {
  std::uint32_t eax = 0;
  std::uint32_t ebx = 0;
  std::uint32_t ecx = 0;
  std::uint32_t edx = 0;
};
using CpuidReader = std::function<CpuidWords(std::uint32_t leaf, std::uint32_t subleaf)>;

struct CpuIdentity {
  std::string vendor;  // "GenuineIntel", "AuthenticAMD"; empty: not an x86 processor
  int family = 0;      // with the extended fields added, as /proc/cpuinfo shows them
  int model = 0;
  // Usable: the processor has it and the system keeps its registers.
  bool avx = false;
  bool avx2 = false;
  bool fma = false;
  bool avx_vnni = false;
  bool avx512 = false;  // AVX-512 F
  bool avx512_fp16 = false;
  bool avx512_bf16 = false;
  bool avx512_vnni = false;
  bool amx_bf16 = false;
  bool amx_int8 = false;
  // Why a whole family is not usable though the processor has it; empty where it is usable, or not there.
  std::string avx512_withheld;
  std::string amx_withheld;
};

// Pure. `xcr0`: the register sets that the system keeps (XGETBV 0; Intel SDM volume 1, section 13.3); absent: none
// beyond SSE. `amx_is_granted`: whether the kernel let this process use tiles.
CpuIdentity identify_cpu(const CpuidReader& cpuid, std::optional<std::uint64_t> xcr0, bool amx_is_granted);

// This processor. Asks the kernel for the tiles where there are any: it must happen before threads start.
CpuIdentity identify_cpu();
// Reads this processor's; empty function where it is not x86.
CpuidReader cpuid_reader();

// The data caches above one core, from /sys, else from the processor itself, else guessed; which of these is said.

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

}  // namespace steelyard::bench
