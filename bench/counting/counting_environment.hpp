// The environment of a counted program: short, fixed, and always of the same size. Its size moves the stack, and with
// it the path that string and vector routines take through unaligned data; the caller's variables must not reach a
// count.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "bench/runner/program.hpp"

namespace steelyard {

struct CountingEnvironment {
  std::filesystem::path shim;    // empty: nothing is preloaded
  std::filesystem::path report;  // that the shim is to write
  std::int64_t iterations = 1;
};

// Of the caller's variables only LD_LIBRARY_PATH, HOME and TMPDIR, without which programs do not start; then what keeps
// a count the same from run to run; then program.environment, which wins; then what the counting needs. Padded so that
// it makes up whole pages of the stack together with `arguments` (the first of them the path of the program).
std::map<std::string, std::string> counting_environment(const Program& program, const CountingEnvironment& counting,
                                                        const std::vector<std::string>& arguments);

}  // namespace steelyard
