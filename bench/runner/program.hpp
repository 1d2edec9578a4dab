// A benchmark program as it is to be run: the executable and how to call it.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace steelyard {

struct Program {
  std::filesystem::path executable;
  std::vector<std::string> arguments;              // the user's own, e.g. --benchmark_filter=X
  std::filesystem::path working_directory;         // empty: the current one
  std::map<std::string, std::string> environment;  // beyond the allow-list
  std::string suite;                               // becomes BenchmarkId::suite
};

}  // namespace steelyard
