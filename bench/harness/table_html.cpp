// Tables as a page of their own.
#include "bench/harness/markup_text.hpp"
#include "bench/harness/render_table.hpp"
#include "bench/model/text.hpp"

namespace steelyard {
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

std::string escaped(std::string_view text) { return markup_text(printable_line(text, true)); }

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

std::string unit_text(const SignificanceTable& table, std::size_t line) {
  const std::string& unit = table.scales[line].unit;
  return unit.empty() ? "" : " <span class=\"unit\">[" + escaped(unit) + "]</span>";
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
  std::string html = "<td title=\"" + escaped(title_of(cell)) + "\"";
  if (!tone.empty()) html += " class=\"" + std::string(tone) + "\"";
  html += ">" + escaped(words.number) + "<span class=\"interval\">" + (words.interval.empty() ? "" : "\u00b1") +
          escaped(words.interval) + (words.is_noisy ? "!" : "") + "</span>";
  return html + "<span class=\"mark\">" + escaped(words.mark) + "</span></td>";
}

std::string list_html(const std::vector<std::string>& lines) {
  std::string html;
  for (const std::string& line : lines) html += "<li>" + escaped(line) + "</li>\n";
  return html.empty() ? "" : "<ul>\n" + html + "</ul>\n";
}

std::string table_html(const SignificanceTable& table) {
  const TableData& data = table.data;
  std::string html = "<h2>" + (data.title.empty() ? "" : escaped(data.title) + " ") + "<small>" +
                     escaped(quantity_text(data)) +
                     "</small></h2>\n<div class=\"scroll\"><table>\n<thead><tr><td></td>";
  for (std::size_t j = 0; j < data.columns.size(); ++j) {
    html += "<th scope=\"col\">" + escaped(data.columns[j]) + (table.is_rowwise() ? "" : unit_text(table, j)) + "</th>";
  }
  html += "</tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < data.rows.size(); ++i) {
    const TableRow& row = data.rows[i];
    if (!row.group.empty() && (i == 0 || data.rows[i - 1].group != row.group)) {
      html += "<tr><th class=\"group\" scope=\"rowgroup\" colspan=\"" + std::to_string(data.columns.size() + 1) +
              "\">" + escaped(row.group) + "</th></tr>\n";
    }
    html += "<tr><th scope=\"row\">" + escaped(row.name) + (table.is_rowwise() ? unit_text(table, i) : "") + "</th>";
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
      escaped(title) + "</title>\n<style>" + std::string(kStyle) + "</style>\n</head>\n<body>\n<h1>" + escaped(title) +
      "</h1>\n";
  for (const SignificanceTable& table : tables) html += table_html(table);
  const std::vector<std::string> legend = legend_of(tables);
  if (!legend.empty()) html += "<h2>What the marks mean</h2>\n" + list_html(legend);
  return html + "</body>\n</html>\n";
}

}  // namespace steelyard
