// Stacks as a file that speedscope (https://www.speedscope.app) opens: its own JSON format, profiles of type "sampled"
// with one sample for each frame that has self cost. Of a difference the file holds two profiles, baseline and
// candidate, and opens with the candidate.
#pragma once

#include <string>

#include "ci/report/flame/stack_tree.hpp"

namespace steelyard {

// Schema: https://www.speedscope.app/file-format-schema.json. Costs are those of the iterations counted; JSON readers
// in browsers keep 53 bits of a number.
std::string speedscope_json(const JoinedProfile& profile, const StackTree& tree, const std::string& title);

}  // namespace steelyard
