#include "bench/runner/child_environment.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace steelyard {
namespace {

constexpr std::array<std::string_view, 9> kAllowedNames = {
    "PATH",           "HOME", "LANG", "TMPDIR", "LD_LIBRARY_PATH", "TZ", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS"};
constexpr std::string_view kAllowedPrefix = "LC_";

bool is_allowed(std::string_view name) {
  return name.starts_with(kAllowedPrefix) ||
         std::find(kAllowedNames.begin(), kAllowedNames.end(), name) != kAllowedNames.end();
}

}  // namespace

std::map<std::string, std::string> child_environment(const Program& program) {
  std::map<std::string, std::string> environment = program.environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || !is_allowed(text.substr(0, equals))) continue;
    // emplace keeps what is there: the Program's own value wins.
    environment.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return environment;
}

}  // namespace steelyard
