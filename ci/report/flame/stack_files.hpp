// Stacks as one line each, "main;parse;next_token 1234": the format of Brendan Gregg's stackcollapse scripts, which
// flamegraph.pl, inferno and speedscope read. Of a difference each line has two numbers, baseline and candidate, as
// difffolded.pl writes them.
#pragma once

#include <string>

#include "bench/model/result.hpp"
#include "ci/report/flame/stack_tree.hpp"

namespace steelyard::ci {

// One line for each frame with self cost, outermost function first. In names ';' and line breaks, which the format
// keeps for itself, become ':' and blanks. Costs are those of the iterations counted; where the two sides counted
// different numbers of them, both are scaled to a common multiple, so that the two numbers compare.
// Error (input): the scaled costs exceed 63 bits.
Result<std::string> folded_stacks(const JoinedProfile& profile, const StackTree& tree);

// Stacks as a file that speedscope (https://www.speedscope.app) opens: its own JSON format, profiles of type "sampled"
// with one sample for each frame that has self cost. Of a difference the file holds two profiles, baseline and
// candidate, and opens with the candidate.

// Schema: https://www.speedscope.app/file-format-schema.json. Costs are those of the iterations counted; JSON readers
// in browsers keep 53 bits of a number.
std::string speedscope_json(const JoinedProfile& profile, const StackTree& tree, const std::string& title);

}  // namespace steelyard::ci
