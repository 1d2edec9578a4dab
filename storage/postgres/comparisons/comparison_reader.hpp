// Takes a comparison out of the database as it was put: for replay. Of the two runs only what the comparison itself
// keeps is filled in: their ids, commits and fingerprints.
#pragma once

#include <string>

#include "bench/model/comparison.hpp"
#include "bench/model/result.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard::storage {

// By id or an unambiguous prefix of at least 6 characters. Error (input): none, or several.
Result<Comparison> read_comparison_row(Session& session, const std::string& id);

}  // namespace steelyard::storage
