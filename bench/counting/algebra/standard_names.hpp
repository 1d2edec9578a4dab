// Names of functions without what differs between two builds of one program and means nothing: the folder it was built
// in and the object it was linked into. What the compiler appends to a copy (" [clone .isra.0]") is part of the name
// and stays: two copies are two functions.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "bench/counting/algebra/function_counts.hpp"
#include "bench/model/result.hpp"

namespace steelyard {

struct StandardNames {
  std::vector<std::filesystem::path> folders;  // build and source folders; the first that holds a file is cut off it
};

// "/home/a/project/src/f.cpp" -> "src/f.cpp" for the folder "/home/a/project". A file in none of the folders is cut
// before the last "build/../", "build/aten/", "Python/" or "Objects/" in it, as PyTorch's statistics do; else it stays.
std::string standard_file(std::string_view file, const StandardNames& names);

// Rows under standard files and without objects. Error (input): as FunctionCounts::transformed.
Result<FunctionCounts> as_standardized(const FunctionCounts& counts, const StandardNames& names = {});

}  // namespace steelyard
