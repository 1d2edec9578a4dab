// Which of the known names a mistyped one was probably meant to be: for unknown options and unknown keys.
//
//     nearest_name("min_tme", {"min_time", "rounds"}) == "min_time"
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace steelyard {

// Insertions, deletions, replacements and swaps of neighbours (optimal string alignment; Damerau 1964, restricted).
// Cost: the product of the lengths; texts are cut at 64 characters.
int edit_distance(std::string_view a, std::string_view b);

// The known name with the least distance, the first of several; absent where none is near enough to be a slip of the
// fingers (more than a third of the longer name, at least two edits allowed).
std::optional<std::string> nearest_name(std::string_view name, const std::vector<std::string>& known);

}  // namespace steelyard
