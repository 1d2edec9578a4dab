#include "bench/counting/counting_environment.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

namespace steelyard {
namespace {

constexpr std::array<const char*, 3> kKeptNames = {"LD_LIBRARY_PATH", "HOME", "TMPDIR"};

// glibc chooses its string and mathematical routines by the CPU and its thresholds by the caches. With every feature
// off that it chooses by, and every preference that it derives from the CPU's model set, it takes those of plain x86-64
// on every host: 39 routines resolve to the same addresses on a CPU with AVX-512, ERMS and FSRM and on the one
// that Valgrind shows, in glibc 2.36 and 2.41 (tests/studies/libc_dispatch.py). Names that a version does not know are
// passed over, so a wrong one would go unseen: the routines taken are part of the key.
constexpr const char* kPinnedLibc =
    "glibc.cpu.hwcaps=-AVX,-AVX2,-AVX512F,-AVX512VL,-AVX512BW,-AVX512DQ,-AVX512CD,-ERMS,-FSRM,-BMI1,-BMI2,-LZCNT,"
    "-MOVBE,-POPCNT,-RTM,-FMA,-FMA4,-F16C,-SSE3,-SSSE3,-SSE4_1,-SSE4_2,-XSAVE,-XSAVEC,"
    "-AVX_Fast_Unaligned_Load,-Fast_Copy_Backward,-Fast_Rep_String,Fast_Unaligned_Copy,Fast_Unaligned_Load,"
    "-Prefer_ERMS,-Prefer_FSRM,-Prefer_No_AVX512_Probing,-Prefer_PMINUB_for_stringop,-Slow_BSF,-Slow_SSE4_2:"
    "glibc.cpu.x86_data_cache_size=32768:glibc.cpu.x86_shared_cache_size=1048576:"
    "glibc.cpu.x86_non_temporal_threshold=786432:glibc.cpu.x86_rep_movsb_threshold=2048:"
    "glibc.cpu.x86_rep_stosb_threshold=2048";

constexpr std::array<std::pair<const char*, const char*>, 10> kFixed = {{
    {"PATH", "/usr/bin:/bin"},
    {"LC_ALL", "C"},
    {"LANG", "C"},
    // Symbols are bound before the loop, not in its first iteration.
    {"LD_BIND_NOW", "1"},
    // A pool's threads wait for one another in ways that differ from run to run.
    {"OPENBLAS_NUM_THREADS", "1"},
    {"OMP_NUM_THREADS", "1"},
    {"MKL_NUM_THREADS", "1"},
    // OpenBLAS says on stderr which kernels it chose.
    {"OPENBLAS_VERBOSE", "2"},
    {"GLIBC_TUNABLES", kPinnedLibc},
    {"TZ", "UTC"},
}};

constexpr std::size_t kPage = 4096;
constexpr const char* kPadding = "STEELYARD_COUNT_PADDING";
constexpr std::size_t kIterationDigits = 12;  // the same length for every number

std::size_t stack_bytes(std::size_t length) { return length + 1 + sizeof(char*); }  // the text, its end, its pointer

}  // namespace

std::map<std::string, std::string> counting_environment(const Program& program, const CountingEnvironment& counting,
                                                        const std::vector<std::string>& arguments) {
  std::map<std::string, std::string> environment;
  for (const char* name : kKeptNames) {
    if (const char* value = std::getenv(name)) environment[name] = value;
  }
  for (const auto& [name, value] : kFixed) environment[name] = value;
  for (const auto& [name, value] : program.environment) environment[name] = value;

  if (!counting.shim.empty()) {
    std::string& preload = environment["LD_PRELOAD"];
    preload = counting.shim.string() + (preload.empty() ? "" : ":" + preload);
    std::string digits = std::to_string(counting.iterations);
    digits.insert(0, kIterationDigits - std::min(kIterationDigits, digits.size()), '0');
    environment["STEELYARD_COUNT_ITERATIONS"] = digits;
    environment["STEELYARD_COUNT_REPORT"] = counting.report.string();
  }

  environment[kPadding] = "";
  std::size_t bytes = arguments.empty() ? 0 : arguments.front().size() + 1;  // the path stands there once more
  for (const std::string& argument : arguments) bytes += stack_bytes(argument.size());
  for (const auto& [name, value] : environment) bytes += stack_bytes(name.size() + 1 + value.size());
  environment[kPadding].assign((kPage - bytes % kPage) % kPage, 'x');
  return environment;
}

}  // namespace steelyard
