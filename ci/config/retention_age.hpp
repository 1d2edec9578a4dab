// How long something is kept, as people write it: "90days", "6 months", "2years", "forever". In days; a month is a
// twelfth of 365.25 of them.
#pragma once

#include <optional>
#include <string>

#include "ci/config/written_value.hpp"

namespace steelyard {

// Absent: for ever. Error (input): another text, or less than a day or more than 100 years.
Result<std::optional<int>> read_age(const WrittenValue& value, const std::string& where);
std::string age_text(const std::optional<int>& days);  // "183days", "forever"

}  // namespace steelyard
