// The interface steelyard.table/1. What is absent is null; numbers are in base units with every digit.
#include <cmath>
#include <nlohmann/json.hpp>

#include "ci/report/table_report.hpp"

namespace steelyard {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
Json number(const std::optional<double>& value) { return value ? number(*value) : Json(nullptr); }

Json cell_json(const SignificanceTable& table, std::size_t row, std::size_t column) {
  const TableCell& cell = table.cells[row][column];
  const MedianInterval& level = cell.level;
  Json json;
  json["group"] = table.data.rows[row].group;
  json["row"] = table.data.rows[row].name;
  json["column"] = table.data.columns[column];
  json["n"] = cell.n;
  json["median"] = number(level.median);
  json["interval"] =
      level.bounds ? Json::array({number(level.bounds->low), number(level.bounds->high)}) : Json(nullptr);
  json["confidence"] = level.bounds ? number(level.confidence) : Json(nullptr);
  json["doubt"] = level.doubt == MedianDoubt::none ? Json(nullptr) : Json(to_text(level.doubt));
  json["reason"] = level.reason.empty() ? Json(nullptr) : Json(level.reason);
  json["iqr_over_median"] = number(cell.spread);
  json["standing"] = to_text(cell.standing);
  json["ratio"] = number(cell.ratio);
  json["q"] = number(cell.q);
  return json;
}

Json table_json(const SignificanceTable& table) {
  Json json;
  json["title"] = table.data.title;
  json["quantity"] = table.data.quantity;
  json["unit"] = table.data.unit;
  json["better"] = to_text(table.data.better);
  json["values"] = values_text(table.data);
  json["direction"] = table.is_rowwise() ? "rowwise" : "columnwise";
  json["reference"] = table.question.reference ? Json(*table.question.reference) : Json(nullptr);
  json["alpha"] = number(table.question.alpha);
  json["comparisons"] = table.comparisons;
  json["columns"] = table.data.columns;
  json["cells"] = Json::array();
  for (std::size_t i = 0; i < table.cells.size(); ++i) {
    for (std::size_t j = 0; j < table.cells[i].size(); ++j) {
      if (table.cells[i][j].n > 0) json["cells"].push_back(cell_json(table, i, j));
    }
  }
  return json;
}

}  // namespace

std::string json_tables(std::span<const SignificanceTable> tables, const std::vector<std::string>& warnings) {
  Json json;
  json["schema"] = "steelyard.table/1";
  json["warnings"] = warnings;
  json["tables"] = Json::array();
  for (const SignificanceTable& table : tables) json["tables"].push_back(table_json(table));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace steelyard
