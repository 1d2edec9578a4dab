#include "bench/counting/counting_environment.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

namespace steelyard {
namespace {

constexpr std::array<const char*, 3> kKeptNames = {"LD_LIBRARY_PATH", "HOME", "TMPDIR"};

constexpr std::array<std::pair<const char*, const char*>, 10> kFixed = {{
    {"PATH", "/usr/bin:/bin"},
    {"LC_ALL", "C"},
    {"LANG", "C"},
    // Symbols are bound before the loop, not in its first iteration.
    {"LD_BIND_NOW", "1"},
    // Collection follows the benchmark's own threads: work handed to a pool would not be seen.
    {"OPENBLAS_NUM_THREADS", "1"},
    {"OMP_NUM_THREADS", "1"},
    {"MKL_NUM_THREADS", "1"},
    // OpenBLAS says on stderr which kernels it chose.
    {"OPENBLAS_VERBOSE", "2"},
    {"GLIBC_TUNABLES",
     // Sizes from which memcpy and memset change their method; glibc takes them from the caches of the CPU it runs on.
     "glibc.cpu.x86_data_cache_size=32768:glibc.cpu.x86_shared_cache_size=1048576:"
     "glibc.cpu.x86_non_temporal_threshold=786432:glibc.cpu.x86_rep_movsb_threshold=2048:"
     "glibc.cpu.x86_rep_stosb_threshold=2048"},
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

  std::string& preload = environment["LD_PRELOAD"];
  preload = counting.shim.string() + (preload.empty() ? "" : ":" + preload);
  std::string digits = std::to_string(counting.iterations);
  digits.insert(0, kIterationDigits - std::min(kIterationDigits, digits.size()), '0');
  environment["STEELYARD_COUNT_ITERATIONS"] = digits;
  environment["STEELYARD_COUNT_REPORT"] = counting.report.string();

  environment[kPadding] = "";
  std::size_t bytes = arguments.empty() ? 0 : arguments.front().size() + 1;  // the path stands there once more
  for (const std::string& argument : arguments) bytes += stack_bytes(argument.size());
  for (const auto& [name, value] : environment) bytes += stack_bytes(name.size() + 1 + value.size());
  environment[kPadding].assign((kPage - bytes % kPage) % kPage, 'x');
  return environment;
}

}  // namespace steelyard
