// By which a store and the spool know a comparison: SHA-256 over every field. The same for what was read back from its
// document (as_kept) or from the store.
#pragma once

#include <string>

#include "bench/model/comparison.hpp"

namespace steelyard::storage {

std::string comparison_id(const Comparison& comparison);

}  // namespace steelyard::storage
