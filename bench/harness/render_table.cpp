// Tables for others to show: one record a cell (CSV), a page of their own (HTML), as GitHub shows them (Markdown).
#include "bench/harness/render_table.hpp"

#include <algorithm>

#include "bench/model/text.hpp"

namespace steelyard {

// Tables for programs: one record a cell.

namespace {

std::string number(const std::optional<double>& value) { return value ? shortest_text(*value) : std::string(); }

std::vector<std::string> units_of(std::span<const SignificanceTable> tables) {
  std::vector<std::string> units;
  for (const SignificanceTable& table : tables) {
    if (std::find(units.begin(), units.end(), table.data.unit) == units.end()) units.push_back(table.data.unit);
  }
  return units;
}

std::string record(const SignificanceTable& table, std::size_t i, std::size_t j,
                   const std::vector<std::string>& units) {
  const TableCell& cell = table.cells[i][j];
  const MedianInterval& level = cell.level;
  std::vector<std::string> fields{table.data.title, table.data.quantity, table.data.rows[i].group,
                                  table.data.rows[i].name, table.data.columns[j]};
  for (const std::string& unit : units) {
    const bool is_its = unit == table.data.unit;
    fields.push_back(is_its ? number(level.median) : "");
    fields.push_back(is_its && level.bounds ? number(level.bounds->low) : "");
    fields.push_back(is_its && level.bounds ? number(level.bounds->high) : "");
  }
  fields.push_back(level.bounds ? number(level.confidence) : "");
  fields.emplace_back(to_text(level.doubt));
  fields.emplace_back(values_text(table.data));
  fields.push_back(std::to_string(cell.n));
  fields.push_back(number(cell.spread));
  fields.emplace_back(to_text(cell.standing));
  fields.push_back(number(cell.ratio));
  fields.push_back(number(cell.q));
  return csv_record(fields);
}

}  // namespace

std::string render_csv(std::span<const SignificanceTable> tables) {
  const std::vector<std::string> units = units_of(tables);
  std::vector<std::string> heading{"table", "quantity", "group", "row", "column"};
  for (const std::string& unit : units) {
    for (const char* name : {"median", "low", "high"}) heading.push_back(std::string(name) + " [" + unit + "]");
  }
  for (const char* name : {"confidence", "doubt", "values are", "n", "iqr over median", "standing", "ratio", "q"}) {
    heading.emplace_back(name);
  }
  std::string text = csv_record(heading);
  for (const SignificanceTable& table : tables) {
    for (std::size_t i = 0; i < table.cells.size(); ++i) {
      for (std::size_t j = 0; j < table.cells[i].size(); ++j) {
        if (table.cells[i][j].n > 0) text += record(table, i, j, units);
      }
    }
  }
  return text;
}

// Tables as a page of their own.

namespace {

// Colours of marks have a contrast of at least 4.5 to 1 on both grounds (WCAG 2.1, 1.4.3), and no mark is a colour
// alone.
constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; --ground: #ffffff; --text: #1c2128; --faint: #59636e; --line: #d1d9e0;
  --band: #f3f5f7; --best: #0f6b33; --worse: #8a5a00; --much: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ground: #14181d; --text: #e3e8ee; --faint: #9aa5b1; --line: #37414c;
  --band: #1d232a; --best: #5fd38d; --worse: #e3b341; --much: #ff8a80; } }
body { background: var(--ground); color: var(--text); font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto;
  max-width: 75rem; padding: 0 1rem; }
h1 { font-size: 1.3rem; } h2 { font-size: 1.05rem; margin: 2rem 0 .5rem; }
h2 small { color: var(--faint); font-weight: normal; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid var(--line); padding: .3rem .8rem; text-align: right; white-space: nowrap; }
thead th, thead td { border-bottom: 2px solid var(--line); vertical-align: bottom; }
tbody th { font-weight: normal; text-align: left; }
tbody th.group { background: var(--band); color: var(--faint); font-size: .85rem; }
.unit, .interval, .none { color: var(--faint); }
.interval, .mark { font-size: .85rem; padding-left: .4rem; }
.interval { display: inline-block; font-weight: normal; min-width: 3.9rem; text-align: left; }
.mark { display: inline-block; min-width: 3.2rem; text-align: left; }
.best { color: var(--best); font-weight: 600; } .better { color: var(--best); }
.worse { color: var(--worse); } .much-worse { color: var(--much); }
ul { color: var(--faint); font-size: .9rem; padding-left: 1.2rem; }
)";

std::string html_escaped(std::string_view text) { return markup_text(printable_line(text, true)); }

std::string_view class_of(CellTone tone) {
  switch (tone) {
    case CellTone::plain:
      return "";
    case CellTone::best:
      return "best";
    case CellTone::better:
      return "better";
    case CellTone::worse:
      return "worse";
    case CellTone::much_worse:
      return "much-worse";
  }
  return "";
}

std::string html_unit(const SignificanceTable& table, std::size_t line) {
  const std::string& unit = table.scales[line].unit;
  return unit.empty() ? "" : " <span class=\"unit\">[" + html_escaped(unit) + "]</span>";
}

// What the pointer shows: how many values, and how sure.
std::string title_of(const TableCell& cell) {
  std::string title = "n = " + std::to_string(cell.n);
  if (cell.q) title += *cell.q < 0.00005 ? ", q < 0.0001" : ", q = " + decimals_text(*cell.q, 4);
  if (!cell.level.reason.empty()) title += "; " + cell.level.reason;
  return title;
}

std::string cell_html(const TableCell& cell, const TableData& data) {
  const CellWords words = words_of(cell, data);
  if (words.number.empty()) return "<td class=\"none\">\u2013</td>";
  const std::string_view tone = class_of(tone_of(cell));
  std::string html = "<td title=\"" + html_escaped(title_of(cell)) + "\"";
  if (!tone.empty()) html += " class=\"" + std::string(tone) + "\"";
  html += ">" + html_escaped(words.number) + "<span class=\"interval\">" + (words.interval.empty() ? "" : "\u00b1") +
          html_escaped(words.interval) + (words.is_noisy ? "!" : "") + "</span>";
  return html + "<span class=\"mark\">" + html_escaped(words.mark) + "</span></td>";
}

std::string list_html(const std::vector<std::string>& lines) {
  std::string html;
  for (const std::string& line : lines) html += "<li>" + html_escaped(line) + "</li>\n";
  return html.empty() ? "" : "<ul>\n" + html + "</ul>\n";
}

std::string table_html(const SignificanceTable& table) {
  const TableData& data = table.data;
  std::string html = "<h2>" + (data.title.empty() ? "" : html_escaped(data.title) + " ") + "<small>" +
                     html_escaped(quantity_text(data)) +
                     "</small></h2>\n<div class=\"scroll\"><table>\n<thead><tr><td></td>";
  for (std::size_t j = 0; j < data.columns.size(); ++j) {
    html += "<th scope=\"col\">" + html_escaped(data.columns[j]) + (table.is_rowwise() ? "" : html_unit(table, j)) +
            "</th>";
  }
  html += "</tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < data.rows.size(); ++i) {
    const TableRow& row = data.rows[i];
    if (!row.group.empty() && (i == 0 || data.rows[i - 1].group != row.group)) {
      html += "<tr><th class=\"group\" scope=\"rowgroup\" colspan=\"" + std::to_string(data.columns.size() + 1) +
              "\">" + html_escaped(row.group) + "</th></tr>\n";
    }
    html +=
        "<tr><th scope=\"row\">" + html_escaped(row.name) + (table.is_rowwise() ? html_unit(table, i) : "") + "</th>";
    for (const TableCell& cell : table.cells[i]) html += cell_html(cell, data);
    html += "</tr>\n";
  }
  html += "</tbody>\n</table></div>\n";
  std::vector<std::string> notes = notes_of(table);
  for (std::string& note : notes) note.insert(0, "! ");
  return html + list_html(notes);
}

}  // namespace

std::string render_html(std::span<const SignificanceTable> tables, std::string_view title) {
  std::string html =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>" +
      html_escaped(title) + "</title>\n<style>" + std::string(kStyle) + "</style>\n</head>\n<body>\n<h1>" +
      html_escaped(title) + "</h1>\n";
  for (const SignificanceTable& table : tables) html += table_html(table);
  const std::vector<std::string> legend = legend_of(tables);
  if (!legend.empty()) html += "<h2>What the marks mean</h2>\n" + list_html(legend);
  return html + "</body>\n</html>\n";
}

// Tables as GitHub shows them.

namespace {

// So that a name is shown as it is: no markup, no new cell, no new line.
std::string markdown_escaped(std::string_view text) {
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
  return words.mark.empty() ? text : text + " " + markdown_escaped(words.mark);
}

std::string markdown_unit(const SignificanceTable& table, std::size_t line) {
  return table.scales[line].unit.empty() ? "" : " \\[" + markdown_escaped(table.scales[line].unit) + "\\]";
}

std::string table_lines(const SignificanceTable& table) {
  const TableData& data = table.data;
  std::string text = (data.title.empty() ? "" : "**" + markdown_escaped(data.title) + "**: ") +
                     markdown_escaped(quantity_text(data)) + "\n\n|";
  std::string rule = "\n|---";
  for (std::size_t j = 0; j < data.columns.size(); ++j) {
    text += " | " + markdown_escaped(data.columns[j]) + (table.is_rowwise() ? "" : markdown_unit(table, j));
    rule += "|---:";
  }
  text += " |" + rule + "|\n";
  for (std::size_t i = 0; i < data.rows.size(); ++i) {
    const TableRow& row = data.rows[i];
    if (!row.group.empty() && (i == 0 || data.rows[i - 1].group != row.group)) {
      text += "| *" + markdown_escaped(row.group) + "*";
      for (std::size_t j = 0; j < data.columns.size(); ++j) text += " | ";
      text += " |\n";
    }
    text += "| " + markdown_escaped(row.name) + (table.is_rowwise() ? markdown_unit(table, i) : "");
    for (const TableCell& cell : table.cells[i]) text += " | " + cell_text(cell, data);
    text += " |\n";
  }
  const std::vector<std::string> notes = notes_of(table);
  if (!notes.empty()) text += "\n";
  for (const std::string& note : notes) text += "- ! " + markdown_escaped(note) + "\n";
  return text;
}

}  // namespace

std::string render_markdown(std::span<const SignificanceTable> tables) {
  std::string text;
  for (const SignificanceTable& table : tables) text += (text.empty() ? "" : "\n") + table_lines(table);
  const std::vector<std::string> legend = legend_of(tables);
  if (!legend.empty()) text += "\n";
  for (const std::string& line : legend) text += "- " + markdown_escaped(line) + "\n";
  return text;
}

}  // namespace steelyard
