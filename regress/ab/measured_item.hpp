// Which input a benchmark was measured on, where its program says so: two inputs are two conditions.
#pragma once

#include <string>

#include "bench/model/run.hpp"
#include "regress/ab/match.hpp"

namespace steelyard {

// The hash behind kItemWord in the benchmark's label; empty: the program does not say.
std::string measured_item(const Run& run, const std::string& benchmark);

// "measured on different inputs: item 2f1c... against 88ab..."; empty where both sides say the same, or one says
// nothing.
std::string item_difference(const Run& baseline, const Run& candidate, const Matched& matched);

}  // namespace steelyard
