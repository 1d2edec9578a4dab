// Tables for a terminal.
#include <algorithm>

#include "bench/harness/render_table.hpp"
#include "bench/model/text.hpp"

namespace steelyard {
namespace {

std::string painted(const std::string& text, CellTone tone, bool color) {
  if (!color || tone == CellTone::plain) return text;
  const char* code = tone == CellTone::best     ? "\x1b[1;32m"
                     : tone == CellTone::better ? "\x1b[32m"
                     : tone == CellTone::worse  ? "\x1b[33m"
                                                : "\x1b[31m";
  return code + text + "\x1b[0m";
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string result;
  for (std::size_t i = 0; i < times; ++i) result += text;
  return result;
}

std::string in_ascii(std::string line) {
  constexpr std::string_view kPlusMinus = "\u00b1";
  for (std::size_t at = line.find(kPlusMinus); at != std::string::npos; at = line.find(kPlusMinus)) {
    line.replace(at, kPlusMinus.size(), "+-");
  }
  return printable_line(line, false);
}

// A mark may stand before the text, with more than one blank between.
std::string paragraph(std::string_view text, const TableStyle& style, std::size_t indent) {
  std::string lines;
  for (const std::string& line : wrapped(text, static_cast<std::size_t>(style.width), {indent, true})) {
    lines += line + "\n";
  }
  return lines;
}

// The parts of a column's cells line up among themselves.
struct ColumnWidths {
  std::size_t number = 0;
  std::size_t interval = 0;
  std::size_t mark = 0;
  std::size_t heading = 0;
  std::size_t cell() const { return number + (interval > 0 ? 1 + interval : 0) + (mark > 0 ? 1 + mark : 0); }
  std::size_t whole() const { return std::max(cell(), heading); }
};

class TextTable {
 public:
  TextTable(const SignificanceTable& table, const TableStyle& style);
  std::string text() const;

 private:
  void measure(bool with_intervals);
  std::string interval_text(const CellWords& words) const;
  std::string unit_text(std::size_t line) const;
  std::string heading_of(std::size_t column) const;
  std::string title_of(std::size_t row) const;
  std::size_t width_of(std::size_t first, std::size_t last) const;  // of columns first .. last - 1
  std::string block(std::size_t first, std::size_t last) const;
  std::string cell_text(std::size_t row, std::size_t column) const;

  const SignificanceTable& table_;
  const TableStyle& style_;
  bool has_intervals_ = true;
  std::size_t title_columns_ = 0;
  std::vector<ColumnWidths> widths_;
  std::string bar_;
};

TextTable::TextTable(const SignificanceTable& table, const TableStyle& style)
    : table_(table), style_(style), bar_(style.unicode ? " \u2502 " : " | ") {
  measure(true);
  if (width_of(0, widths_.size()) > static_cast<std::size_t>(style.width)) measure(false);
}

std::string TextTable::interval_text(const CellWords& words) const {
  if (words.interval.empty()) return "";
  const std::string noisy = words.is_noisy ? "!" : "";
  if (!has_intervals_) return noisy;
  return (style_.unicode ? "\u00b1" : "+-") + words.interval + noisy;
}

std::string TextTable::unit_text(std::size_t line) const {
  return "[" + printable_line(table_.scales[line].unit, style_.unicode) + "]";
}

std::string TextTable::heading_of(std::size_t column) const {
  const std::string name = printable_line(table_.data.columns[column], style_.unicode);
  if (table_.is_rowwise() || table_.scales[column].unit.empty()) return name;
  return name + (name.empty() ? "" : " ") + unit_text(column);
}

std::string TextTable::title_of(std::size_t row) const {
  const TableRow& data = table_.data.rows[row];
  std::string title = (data.group.empty() ? "" : "  ") + printable_line(data.name, style_.unicode);
  if (table_.is_rowwise() && !table_.scales[row].unit.empty()) title += " " + unit_text(row);
  return title;
}

void TextTable::measure(bool with_intervals) {
  has_intervals_ = with_intervals;
  title_columns_ = 0;
  widths_.assign(table_.data.columns.size(), {});
  for (std::size_t i = 0; i < table_.cells.size(); ++i) {
    title_columns_ = std::max(title_columns_, columns_of(title_of(i)));
    for (std::size_t j = 0; j < widths_.size(); ++j) {
      const CellWords words = words_of(table_.cells[i][j], table_.data);
      widths_[j].number = std::max(widths_[j].number, columns_of(words.number));
      widths_[j].interval = std::max(widths_[j].interval, columns_of(interval_text(words)));
      widths_[j].mark = std::max(widths_[j].mark, columns_of(words.mark));
    }
  }
  for (std::size_t j = 0; j < widths_.size(); ++j) widths_[j].heading = columns_of(heading_of(j));
}

std::size_t TextTable::width_of(std::size_t first, std::size_t last) const {
  std::size_t width = title_columns_;
  for (std::size_t j = first; j < last; ++j) width += columns_of(bar_) + widths_[j].whole();
  return width;
}

std::string TextTable::cell_text(std::size_t row, std::size_t column) const {
  const TableCell& cell = table_.cells[row][column];
  const ColumnWidths& widths = widths_[column];
  const CellWords words = words_of(cell, table_.data);
  std::string text = padded(words.number, widths.number, Align::right);
  if (widths.interval > 0) text += " " + padded(interval_text(words), widths.interval);
  if (widths.mark > 0) text += " " + padded(words.mark, widths.mark);
  const std::string space(widths.whole() - widths.cell(), ' ');
  return painted(text, tone_of(cell), style_.color) + space;
}

std::string TextTable::block(std::size_t first, std::size_t last) const {
  const std::string_view rule = style_.unicode ? "\u2500" : "-";
  const std::size_t width = width_of(first, last);
  const auto trimmed = [](std::string line) { return line.erase(line.find_last_not_of(' ') + 1) + "\n"; };
  std::string heading(title_columns_, ' ');
  for (std::size_t j = first; j < last; ++j) heading += bar_ + padded(heading_of(j), widths_[j].whole());
  std::string text = trimmed(heading);
  bool has_rule = false;
  for (std::size_t i = 0; i < table_.cells.size(); ++i) {
    const std::string group = printable_line(table_.data.rows[i].group, style_.unicode);
    if (!group.empty() && (i == 0 || table_.data.rows[i - 1].group != table_.data.rows[i].group)) {
      const std::size_t used = columns_of(group) + 1;
      text += group + " " + repeated(rule, width > used ? width - used : 0) + "\n";
    } else if (!has_rule && group.empty()) {
      text += repeated(rule, width) + "\n";
    }
    has_rule = true;
    std::string line = padded(title_of(i), title_columns_);
    for (std::size_t j = first; j < last; ++j) line += bar_ + cell_text(i, j);
    text += trimmed(line);
  }
  return text;
}

std::string TextTable::text() const {
  const TableData& data = table_.data;
  std::string text = data.title.empty() ? "" : printable_line(data.title, style_.unicode) + ": ";
  text += printable_line(quantity_text(data), style_.unicode) + "\n";
  for (std::size_t first = 0; first < widths_.size();) {
    std::size_t last = first + 1;
    while (last < widths_.size() && width_of(first, last + 1) <= static_cast<std::size_t>(style_.width)) ++last;
    text += (first > 0 ? "\n" : "") + block(first, last);
    first = last;
  }
  for (const std::string& note : notes_of(table_)) {
    text += paragraph("! " + printable_line(note, style_.unicode), style_, 2);
  }
  return text;
}

}  // namespace

std::string render_text(std::span<const SignificanceTable> tables, const TableStyle& style) {
  std::string text;
  for (const SignificanceTable& table : tables) text += (text.empty() ? "" : "\n") + TextTable(table, style).text();
  const std::vector<std::string> legend = legend_of(tables);
  if (!legend.empty()) text += "\n";
  for (const std::string& line : legend) {
    const std::string shown = style.unicode ? printable_line(line, true) : in_ascii(line);
    text += paragraph(shown, style, 3);
  }
  return text;
}

}  // namespace steelyard
