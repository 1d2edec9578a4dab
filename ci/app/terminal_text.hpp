// Text that has to line up on a terminal: its width in columns, padding, shortening, wrapping, tone. Names come from
// strangers' programs, so what could move the cursor or turn the writing direction is replaced before it is printed.
// Not for East Asian wide characters: every code point counts as one column.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace steelyard {

struct TerminalStyle {
  bool color = false;
  bool unicode = true;  // false: ASCII only
  int width = 100;      // columns
};

// What a stretch of text means to the reader; never the only carrier of that meaning.
enum class Tone { plain, good, bad, doubtful, dim, strong };
// Wrapped in the terminal's colour codes, or as it is where `color` is false.
std::string paint(std::string_view text, Tone tone, bool color);

// Columns of UTF-8 text without colour codes.
std::size_t columns_of(std::string_view text);
// Control characters, direction marks and broken UTF-8 become '?'; in ASCII so does everything beyond it.
std::string printable(std::string_view text, bool unicode);

// A benchmark's canonical text without its device, which is long and the same for all rows of a run: "gemv/n:8
// [suite=x,device=NVIDIA H200]" is "gemv/n:8 [suite=x]".
std::string without_device(std::string_view benchmark);

enum class Align { left, right };
std::string padded(std::string_view text, std::size_t columns, Align align = Align::left);
// At most `columns`, the middle left out: "BM_token...e/1024". Precondition: columns >= 5, or the text fits.
std::string shortened(std::string_view text, std::size_t columns, bool unicode);
// Broken at spaces into lines of at most `columns`; a longer word stays whole on its own line.
std::vector<std::string> wrapped(std::string_view text, std::size_t columns);

// Rows of cells, each column as wide as its widest cell, two spaces between. Cells are plain; trailing spaces are cut.
std::string aligned_rows(const std::vector<std::vector<std::string>>& rows, const std::vector<Align>& aligns,
                         std::string_view indent);

}  // namespace steelyard
