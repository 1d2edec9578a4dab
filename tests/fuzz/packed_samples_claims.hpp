// What holds for any bytes that are read as packed samples.
#pragma once

#include <optional>
#include <string>

namespace steelyard::testing {

// Which claim does not hold of these bytes, in words; absent: all do.
std::optional<std::string> broken_claim_about_packed_samples(const std::string& bytes);

}  // namespace steelyard::testing
