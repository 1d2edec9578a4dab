// Text that has to line up, on a terminal or in a file: its width in columns, padding, shortening, wrapping, rows of
// cells; and numbers as text that no locale changes. Names come from strangers' programs, so what could move the cursor
// or turn the writing direction is replaced before it is printed. Not for East Asian wide characters: every code point
// counts as one column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace steelyard {

// What stands at a place of UTF-8 text; one byte of kBrokenCodePoint where no well-formed sequence begins there (The
// Unicode Standard, table 3-7: no overlong form, no surrogate, nothing past U+10FFFF).
inline constexpr std::uint32_t kBrokenCodePoint = 0xffffffff;
struct CodePoint {
  std::uint32_t value = kBrokenCodePoint;
  std::size_t bytes = 1;
};
CodePoint code_point_at(std::string_view text, std::size_t at);  // at < text.size()

// Columns of UTF-8 text without colour codes.
std::size_t columns_of(std::string_view text);
// Control characters, direction marks and broken UTF-8 become '?'; in ASCII so does everything beyond it.
std::string printable(std::string_view text, bool unicode);
// printable() in one line: line breaks and tabs become a blank.
std::string printable_line(std::string_view text, bool unicode);

enum class Align { left, right };
std::string padded(std::string_view text, std::size_t columns, Align align = Align::left);
// An odd blank goes to the left of text in an odd width, else to the right, as Python's str.center has it.
std::string centred(std::string_view text, std::size_t columns, char fill = ' ');
// At most `columns`, the middle left out: "BM_token...e/1024". Precondition: columns >= 5, or the text fits.
std::string shortened(std::string_view text, std::size_t columns, bool unicode);
// Names of the rows of one table, each in at most `columns` where that can be: cut where they do not differ, so that
// different names stay different and show what tells them apart: "BM_Map<std::map...00" beside
// "BM_Map<std::u...p...00". A name that no cut keeps apart from another stays whole. In any order, repeated at will;
// the result has as many, in the same order. Precondition: columns >= 5, or all fit. Cost: sorting them, once for each
// place at which they differ.
std::vector<std::string> shortened_apart(const std::vector<std::string>& names, std::size_t columns, bool unicode);

// At most so many bytes, the last character whole; with `ending` behind where something is cut.
std::string cut_at_bytes(std::string_view text, std::size_t most, std::string_view ending = "");

struct Wrapping {
  std::size_t indent = 0;     // of the lines after the first
  bool keeps_blanks = false;  // more than one blank between words
  bool breaks_words = false;  // of more columns than there are. Precondition: columns > indent
};
// Broken at blanks into lines of at most `columns`; a longer word stays whole on its own line unless it may be broken.
std::vector<std::string> wrapped(std::string_view text, std::size_t columns, Wrapping wrapping = {});

// Rows of cells, each column as wide as its widest cell, two spaces between. Cells are plain; trailing spaces are cut.
std::string aligned_rows(const std::vector<std::vector<std::string>>& rows, const std::vector<Align>& aligns,
                         std::string_view indent);

// Whether there is nothing but hexadecimal digits in small letters; of no text, too.
bool is_hex(std::string_view text);
bool is_decimal(std::string_view text);  // decimal digits; of no text, too
// As services and git write one: of SHA-1 or of SHA-256.
bool is_full_commit_hash(std::string_view text);
// As much of a commit's sha as people read: its first nine digits.
std::string shown_sha(std::string_view sha);
// What names a commit or a machine, as people read it: of a hash its first nine digits, of other text all, for nobody
// knows which part of it tells it from others. Decimal digits are a date or a number, unless they are 40 or more.
std::string shown_id(std::string_view id);

// Without the blanks, line breaks and zeros at its ends. A view of the same text.
std::string_view trimmed(std::string_view text);
// Of ASCII letters, whatever the locale.
std::string lower_case(std::string_view text);
// Of any bytes: two lower-case digits each.
std::string hex_text(std::string_view bytes);
std::string base64_text(std::string_view bytes);  // RFC 4648, section 4: with "=" at the end

// Words with a separator between them, e.g. ", ": of each thing the one that `word_of` says. None before the first that
// is not empty.
template <class Things, class WordOf>
std::string joined_text(const Things& things, std::string_view separator, WordOf word_of) {
  std::string text;
  for (const auto& thing : things) {
    if (!text.empty()) text += separator;
    text += word_of(thing);
  }
  return text;
}
template <class Words>
std::string joined_text(const Words& words, std::string_view separator) {
  return joined_text(words, separator, [](const auto& word) { return std::string_view(word); });
}

// The first `most` of them, and how many more there are behind `rest`: "a, b" + " and " + "3 more".
template <class Things, class WordOf>
std::string some_joined(const Things& things, std::size_t most, std::string_view separator, std::string_view rest,
                        WordOf word_of) {
  std::string text;
  std::size_t told = 0;
  for (const auto& thing : things) {
    if (told == most) return text.append(rest) + std::to_string(things.size() - most) + " more";
    if (told++ > 0) text += separator;
    text += word_of(thing);
  }
  return text;
}
template <class Words>
std::string some_joined(const Words& words, std::size_t most, std::string_view separator, std::string_view rest) {
  return some_joined(words, most, separator, rest, [](const auto& word) { return std::string_view(word); });
}

// As C's %.*f with any number of decimals, but of no locale.
std::string decimals_text(double value, int decimals);
// As C's %.*g, of no locale: so many significant digits.
std::string significant_text(double value, int digits);
// The shortest that reads back as the same number.
std::string shortest_text(double value);

// A line of a file of comma-separated values (Y. Shafranovich, Common Format and MIME Type for CSV Files, RFC 4180):
// fields in quotes where they hold what would end them, each in one line and without what moves a terminal's cursor.
// A name that a spreadsheet would take for a formula has an apostrophe before it, by which it is text there.
std::string csv_record(const std::vector<std::string>& fields);

// As a string of JSON, in its quotes: control characters as \u00XX, bytes that are no UTF-8 as the replacement
// character.
std::string json_quoted(std::string_view text);
std::string json_list(const std::vector<std::string>& texts);  // of such strings, in one line

// Text between the tags of HTML or SVG, and inside their quoted attributes. Control characters are the caller's to
// replace first.

// & < > " ' written as entities.
std::string markup_text(std::string_view text);

}  // namespace steelyard
