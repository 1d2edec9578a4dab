// Tables as GitHub shows them.
#include "bench/harness/render_table.hpp"
#include "bench/model/text.hpp"

namespace steelyard {
namespace {

// So that a name is shown as it is: no markup, no new cell, no new line.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : printable_line(text, true)) {
    switch (c) {
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '&':
        result += "&amp;";
        break;
      case '|':
      case '\\':
      case '`':
      case '*':
      case '_':
      case '[':
      case ']':
      case '~':
      case '#':
      case '@':
        result += '\\';
        [[fallthrough]];
      default:
        result += c;
    }
  }
  return result;
}

std::string cell_text(const TableCell& cell, const TableData& data) {
  const CellWords words = words_of(cell, data);
  if (words.number.empty()) return "";
  const bool is_bold = cell.standing == Standing::best;
  std::string text = (is_bold ? "**" : "") + words.number + (is_bold ? "**" : "");
  if (!words.interval.empty()) text += " \u00b1" + words.interval;
  if (words.is_noisy) text += " !";
  return words.mark.empty() ? text : text + " " + escaped(words.mark);
}

std::string unit_text(const SignificanceTable& table, std::size_t line) {
  return table.scales[line].unit.empty() ? "" : " \\[" + escaped(table.scales[line].unit) + "\\]";
}

std::string table_lines(const SignificanceTable& table) {
  const TableData& data = table.data;
  std::string text =
      (data.title.empty() ? "" : "**" + escaped(data.title) + "**: ") + escaped(quantity_text(data)) + "\n\n|";
  std::string rule = "\n|---";
  for (std::size_t j = 0; j < data.columns.size(); ++j) {
    text += " | " + escaped(data.columns[j]) + (table.is_rowwise() ? "" : unit_text(table, j));
    rule += "|---:";
  }
  text += " |" + rule + "|\n";
  for (std::size_t i = 0; i < data.rows.size(); ++i) {
    const TableRow& row = data.rows[i];
    if (!row.group.empty() && (i == 0 || data.rows[i - 1].group != row.group)) {
      text += "| *" + escaped(row.group) + "*";
      for (std::size_t j = 0; j < data.columns.size(); ++j) text += " | ";
      text += " |\n";
    }
    text += "| " + escaped(row.name) + (table.is_rowwise() ? unit_text(table, i) : "");
    for (const TableCell& cell : table.cells[i]) text += " | " + cell_text(cell, data);
    text += " |\n";
  }
  const std::vector<std::string> notes = notes_of(table);
  if (!notes.empty()) text += "\n";
  for (const std::string& note : notes) text += "- ! " + escaped(note) + "\n";
  return text;
}

}  // namespace

std::string render_markdown(std::span<const SignificanceTable> tables) {
  std::string text;
  for (const SignificanceTable& table : tables) text += (text.empty() ? "" : "\n") + table_lines(table);
  const std::vector<std::string> legend = legend_of(tables);
  if (!legend.empty()) text += "\n";
  for (const std::string& line : legend) text += "- " + escaped(line) + "\n";
  return text;
}

}  // namespace steelyard
