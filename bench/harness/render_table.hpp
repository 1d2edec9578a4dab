// Tables whose marks are tested, as text for a terminal, Markdown, CSV and a web page. Pure: values in, text out, the
// same on every machine and in every locale.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/significance_table.hpp"

namespace steelyard {

struct TableStyle {
  bool color = false;
  bool unicode = true;  // false: ASCII only
  int width = 100;      // columns; a wider table loses its intervals, then continues below itself
};

// One under the other, what the marks mean once at the end.
std::string render_text(std::span<const SignificanceTable> tables, const TableStyle& style);
// GitHub's tables; names are escaped.
std::string render_markdown(std::span<const SignificanceTable> tables);
// RFC 4180: a header, one record for each cell that was measured, CRLF. Raw numbers with every digit, units in the
// header (columns of each unit that occurs), and what the marks would say.
std::string render_csv(std::span<const SignificanceTable> tables);
// One page that needs nothing from elsewhere, dark or light as the reader has it; everything from outside is escaped.
std::string render_html(std::span<const SignificanceTable> tables, std::string_view title);

// What a cell says in words and marks, the same in all of them.
struct CellWords {
  std::string number;  // "12.31"; empty: nothing was measured
  std::string
      interval;  // "0.4%": the farther bound of the median's interval over the median; "?": it has none; empty: a count
  std::string mark;  // "best", "+14%", "x2.3", "~", "?", "base"; empty: none
  bool is_noisy = false;
};
CellWords words_of(const TableCell& cell, const TableData& data);

enum class CellTone { plain, best, better, worse, much_worse };
CellTone tone_of(const TableCell& cell);  // beyond a tenth it is much worse

// Heads a table: "time, lower is better".
std::string quantity_text(const TableData& data);
// Cells that need a word: noisy, no interval and why. At most kMaxNotes and how many more there are.
inline constexpr std::size_t kMaxNotes = 12;
std::vector<std::string> notes_of(const SignificanceTable& table);
// What the marks of these tables mean, and what they cannot; only those that occur.
std::vector<std::string> legend_of(std::span<const SignificanceTable> tables);

}  // namespace steelyard
