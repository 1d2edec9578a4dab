// Puts a comparison into the database, in one transaction, known by the hash of its content.
#pragma once

#include <string>

#include "bench/model/comparison.hpp"
#include "bench/model/result.hpp"
#include "storage/postgres/session.hpp"

namespace steelyard {

// SHA-256 over every field.
std::string identity_of(const Comparison& comparison);

// false: it was there.
Result<bool> write_comparison(Session& session, const Comparison& comparison);

}  // namespace steelyard
