// The rows that compare --table adds to the verb, and what its names mean with and without it.
#pragma once

#include <string>
#include <vector>

#include "ci/grammar/verb.hpp"

namespace steelyard {

void add_table_options(Verb& verb, TableChoice& table);

// Two names without --table, 1 to kMostTableSides with it. Errors (input): another number; an option of tables without
// --table; two that contradict each other.
Result<void> take_compare_names(CompareOptions& compare, std::vector<std::string> given);

}  // namespace steelyard
