// What the functions behind a changed count did, as a report tells it: a line each, and the calls that lead there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/model/comparison.hpp"
#include "ci/report/comparison_text.hpp"

namespace steelyard::ci {

// Whether a profile has an address in place of a function's name: what it was built into has no symbols.
bool is_bare_address(std::string_view function);
// A function as reports name it: short, and an address as "code at 0x401234 (no symbols)".
std::string function_title(std::string_view function);

// How a function takes part in the change of `row`: what it changed by itself and with what it calls, each as a part of
// the benchmark's instructions in the baseline ("+12.3 %"; without that level, instructions), where it is
// ("tokenizer.cpp:41") and what happened to it ("called 2 times more (+8.0 %), each costs more (+4.3 %)").
struct FunctionLine {
  std::string name;
  std::string self;
  std::string inclusive;
  std::string place;
  std::string what;
};
std::vector<FunctionLine> function_lines(const RowIndex& index, const ComparisonRow& row);
// `total`: instructions of the benchmark in the baseline; 0: unknown.
std::vector<FunctionLine> function_lines(const std::vector<FunctionChange>& functions, double total);

// The names of the row's call path made short, the benchmark's first. Of a long path the middle is one "(31 more)".
std::vector<std::string> call_path_names(const ComparisonRow& row);

}  // namespace steelyard::ci
