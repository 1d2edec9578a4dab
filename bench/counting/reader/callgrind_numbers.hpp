// The numbers of a callgrind.out file: decimal or 0x hexadecimal, and positions that may be relative ("+3", "-0x10",
// "*") to the one before. Views are consumed from the left; false means that the text is no such number, or that it
// does not fit.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/result.hpp"

namespace steelyard::bench {

std::string_view without_leading_blanks(std::string_view text);

// Takes the next word off `line`; empty at its end.
std::string_view take_word(std::string_view& line);

// The whole of `text`, digits only.
bool read_decimal(std::string_view text, std::uint64_t& number);

// The whole of `text`: decimal, or hexadecimal after "0x". A cost has to fit into 63 bits.
bool read_number(std::string_view text, std::uint64_t& number);
bool read_cost(std::string_view text, std::int64_t& cost);

// What `line` begins with, after blanks: an absolute position or one relative to `base` (a result below 0 or above 64
// bits is refused), or a cost. On false `line` stands at the word that is none. These two read most of a profile.
bool take_position(std::string_view& line, std::uint64_t base, std::uint64_t& position);
bool take_cost(std::string_view& line, std::int64_t& cost);

// At most `maximum` costs, separated by blanks, in place of what `costs` held. Error without a place.
Result<void> read_costs(std::string_view text, std::size_t maximum, std::vector<std::int64_t>& costs);

// For messages: in quotes, printable, at most 80 bytes.
std::string quoted(std::string_view text);

}  // namespace steelyard::bench
