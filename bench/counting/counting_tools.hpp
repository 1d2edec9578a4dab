// What counting needs beside the program: Valgrind and the preload library.
#pragma once

#include <filesystem>
#include <string>

#include "bench/counting/count.hpp"
#include "bench/model/result.hpp"

namespace steelyard {

struct CountingTools {
  std::filesystem::path valgrind;
  std::filesystem::path shim;
  std::string valgrind_version;  // "valgrind-3.19.0"
};

// Whether a version as `valgrind --version` prints it lacks what counting needs; one that is no number is taken for
// new.
bool is_old_valgrind(const std::string& version);

// options.shim, or the library in ../lib/steelyard/ beside the running program. Starts one short process. Error
// (input), in one line: what is missing and how to get it.
Result<CountingTools> find_counting_tools(const CountOptions& options);

}  // namespace steelyard
