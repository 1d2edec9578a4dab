// How far one word is from another.
#pragma once

#include <cstddef>
#include <string_view>

namespace textkit {

// The least number of single-character insertions, deletions and replacements that turn `from` into `to`
// (Levenshtein's distance). Cost: from.size() * to.size().
std::size_t edit_distance(std::string_view from, std::string_view to);

}  // namespace textkit
