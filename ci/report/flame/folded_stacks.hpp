// Stacks as one line each, "main;parse;next_token 1234": the format of Brendan Gregg's stackcollapse scripts, which
// flamegraph.pl, inferno and speedscope read. Of a difference each line has two numbers, baseline and candidate, as
// difffolded.pl writes them.
#pragma once

#include <string>

#include "bench/model/result.hpp"
#include "ci/report/flame/stack_tree.hpp"

namespace steelyard {

// One line for each frame with self cost, outermost function first. In names ';' and line breaks, which the format
// keeps for itself, become ':' and blanks. Costs are those of the iterations counted; where the two sides counted
// different numbers of them, both are scaled to a common multiple, so that the two numbers compare.
// Error (input): the scaled costs exceed 63 bits.
Result<std::string> folded_stacks(const JoinedProfile& profile, const StackTree& tree);

}  // namespace steelyard
