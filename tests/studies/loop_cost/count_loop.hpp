// Instructions per iteration of a loop of the program loops.cpp, by Callgrind: exact, whatever else the machine does.
#pragma once

#include <filesystem>
#include <string>

#include "bench/model/result.hpp"

namespace steelyard {

bool can_count_loops();  // whether `valgrind` is on the PATH

// The difference between two counts of different length, so that what surrounds the loop cancels. Error (program):
// Valgrind or the program failed.
Result<double> instructions_per_iteration(const std::filesystem::path& program, const std::string& loop);

}  // namespace steelyard
