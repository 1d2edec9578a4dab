// What a reader can do about a comparison, one sentence each, the most useful first; empty when nothing is left to do.
#pragma once

#include <string>
#include <vector>

#include "bench/model/comparison.hpp"

namespace steelyard {

std::vector<std::string> next_steps(const Comparison& comparison);

}  // namespace steelyard
