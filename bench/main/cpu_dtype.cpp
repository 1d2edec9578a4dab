#include "bench/main/cpu_dtype.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>

namespace steelyard {
namespace {

// Any one of the flags will do: x86's first, then those of 64-bit Arm. Source: the kernel's arch/x86
// cpufeatures.h and Documentation/arch/arm64/elf_hwcaps.rst.
struct DtypeFlags {
  std::string_view dtype;
  std::array<std::string_view, 3> flags;
};
constexpr std::array kDtypes{
    DtypeFlags{"f16", {"avx512_fp16", "amx_fp16", "asimdhp"}},
    DtypeFlags{"bf16", {"avx512_bf16", "amx_bf16", "bf16"}},
    DtypeFlags{"i8dot", {"avx512_vnni", "avx_vnni", "asimddp"}},
};
constexpr std::array<std::string_view, 3> kEverywhere{"f32", "f64", "i8"};

// Whether the first line of flags holds the word.
bool has_flag(std::string_view cpuinfo, std::string_view flag) {
  std::size_t begin = cpuinfo.find("\nflags");
  if (begin == std::string_view::npos) begin = cpuinfo.find("\nFeatures");
  if (begin == std::string_view::npos) return false;
  std::string_view line = cpuinfo.substr(begin + 1);
  line = line.substr(0, line.find('\n'));
  line.remove_prefix(std::min(line.find(':') + 1, line.size()));
  while (!line.empty()) {
    const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
    if (line.substr(0, end) == flag) return true;
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return false;
}

}  // namespace

std::string lacking_dtype(std::string_view dtype, std::string_view cpuinfo) {
  if (std::find(kEverywhere.begin(), kEverywhere.end(), dtype) != kEverywhere.end()) return "";
  const auto* known =
      std::find_if(kDtypes.begin(), kDtypes.end(), [&](const DtypeFlags& entry) { return entry.dtype == dtype; });
  if (known == kDtypes.end()) {
    return "found the dtype \"" + std::string(dtype) + "\", wanted one of: f32, f64, f16, bf16, i8, i8dot";
  }
  std::string wanted;
  for (const std::string_view flag : known->flags) {
    if (has_flag(cpuinfo, flag)) return "";
    wanted += (wanted.empty() ? "" : ", ") + std::string(flag);
  }
  return "this CPU does not compute with " + std::string(dtype) + ": none of " + wanted + " in /proc/cpuinfo";
}

bool skip_without_dtype(benchmark::State& state, std::string_view dtype) {
  std::ifstream file("/proc/cpuinfo");
  const std::string cpuinfo{std::istreambuf_iterator<char>(file), {}};
  const std::string lack = lacking_dtype(dtype, cpuinfo);
  if (lack.empty()) return false;
  state.SkipWithError(lack.c_str());
  return true;
}

}  // namespace steelyard
