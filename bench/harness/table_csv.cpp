// Tables for programs: one record a cell (Y. Shafranovich, Common Format and MIME Type for CSV Files, RFC 4180).
#include <algorithm>

#include "bench/harness/render_table.hpp"
#include "bench/model/text.hpp"

namespace steelyard {
namespace {

// Quoted where it holds what would end a field.
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string number(const std::optional<double>& value) { return value ? shortest_text(*value) : std::string(); }

std::string joined(const std::vector<std::string>& fields) {
  std::string line;
  for (std::size_t i = 0; i < fields.size(); ++i) line += (i > 0 ? "," : "") + field(fields[i]);
  return line + "\r\n";
}

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
  return joined(fields);
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
  std::string text = joined(heading);
  for (const SignificanceTable& table : tables) {
    for (std::size_t i = 0; i < table.cells.size(); ++i) {
      for (std::size_t j = 0; j < table.cells[i].size(); ++j) {
        if (table.cells[i][j].n > 0) text += record(table, i, j, units);
      }
    }
  }
  return text;
}

}  // namespace steelyard
