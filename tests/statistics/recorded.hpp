// The recordings beside these tests, by name, each read once.
#pragma once

#include <string>

#include "tests/studies/judging/recording.hpp"

namespace steelyard::judging {

const Recording& recorded(const std::string& name);

}  // namespace steelyard::judging
