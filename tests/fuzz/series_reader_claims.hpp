// What holds of the reader of plain series (ci/judging/series_file.hpp) whatever text it is given; for the fuzzer and
// for seeded mutations.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace steelyard::testing {

// The claim that this text breaks; absent: it breaks none.
std::optional<std::string> broken_claim_about_series(std::string_view text);

}  // namespace steelyard::testing
