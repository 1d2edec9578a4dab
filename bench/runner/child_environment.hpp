// The environment variables a child process gets: an allow-list of the caller's, and what the Program names. A variable
// that nobody named must not decide a verdict (BENCHMARK_FILTER and LD_PRELOAD would), and the size of the environment
// moves the stack.
#pragma once

#include <map>
#include <string>

#include "bench/runner/program.hpp"

namespace steelyard {

// The caller's PATH, HOME, LANG, LC_*, TMPDIR, LD_LIBRARY_PATH, TZ and thread counts, where set; then
// program.environment, which wins.
std::map<std::string, std::string> child_environment(const Program& program);

}  // namespace steelyard
