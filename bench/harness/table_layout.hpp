// Text in columns: how wide it is, and padded to a width. Every code point counts as one column.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace steelyard {

std::size_t text_columns(std::string_view text);  // of UTF-8 without colour codes
std::string left_aligned(std::string_view text, std::size_t columns);
std::string right_aligned(std::string_view text, std::size_t columns);
// An odd blank goes to the left of text in an odd width, else to the right, as Python's str.center has it.
std::string centred(std::string_view text, std::size_t columns, char fill = ' ');
// In one line, and nothing in it that could move the cursor or turn the writing direction: such characters and broken
// UTF-8 become '?' (in ASCII everything beyond it), line breaks and tabs a blank.
std::string printable_line(std::string_view text, bool unicode);
// Broken at single blanks into lines of at most `columns`, those after the first indented; a longer word stays whole.
std::string wrapped_text(std::string_view text, std::size_t columns, std::size_t indent);
// As C's %.*f with any number of decimals, but of no locale.
std::string decimals_text(double value, int decimals);
// The shortest that reads back as the same number.
std::string shortest_text(double value);

}  // namespace steelyard
