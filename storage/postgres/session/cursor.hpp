// Where the next page of a list begins: the sort key of the last item, as text that callers hand back and never read.
// Strangers may hand back anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/result.hpp"

namespace steelyard::storage {

// kind: of the list, one word; a cursor of one list is refused by another.
std::string write_cursor(std::string_view kind, const std::vector<std::string>& fields);
// Error (input): it is none of this kind with that many fields.
Result<std::vector<std::string>> read_cursor(std::string_view kind, std::size_t fields, const std::string& text);
// A field that is a number. Error (input): it is none of 64 bits.
Result<std::int64_t> number_of_cursor(const std::string& field);
// What the two return of a text that is no place of a list of ours.
Error no_cursor(const std::string& text);

}  // namespace steelyard::storage
