// The document of a comparison as a tree, for those who add to it before it is written.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "bench/model/comparison.hpp"

namespace steelyard {

nlohmann::ordered_json comparison_json(const Comparison& comparison);

}  // namespace steelyard
