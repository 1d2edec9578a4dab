// All verbs of the program.
#pragma once

#include <vector>

#include "ci/grammar/verb.hpp"

namespace steelyard::ci {

// In the order of the help.
std::vector<Verb> all_verbs();

}  // namespace steelyard::ci
