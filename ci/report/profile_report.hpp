// A counted profile for scripts: the interface steelyard.profile/1.
#pragma once

#include <string>
#include <vector>

#include "bench/counting/callgrind_reader.hpp"

namespace steelyard {

std::string json_profile(const std::vector<CallgrindPart>& parts);
std::string terminal_profile(const std::vector<CallgrindPart>& parts, int rows);

}  // namespace steelyard
