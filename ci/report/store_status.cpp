#include "ci/report/store_status.hpp"

#include <nlohmann/json.hpp>

#include "bench/model/quantity.hpp"
#include "ci/app/terminal_text.hpp"
#include "ci/report/json_values.hpp"
#include "bench/model/number_text.hpp"

namespace steelyard {
namespace {

Json status_json(const StoreStatus& status) {
  return Json({{"schema", "steelyard.status/1"},
               {"address", status.address},
               {"server_version", status.server_version},
               {"schema_version", status.schema_version},
               {"newest_known_version", status.newest_known_version},
               {"runs", status.runs},
               {"measurements", status.measurements},
               {"samples", status.samples},
               {"comparisons", status.comparisons},
               {"bytes", status.bytes},
               {"spooled", status.spooled}});
}

}  // namespace

std::string terminal_status(const StoreStatus& status, const TerminalStyle& style) {
  std::string schema = "version " + std::to_string(status.schema_version);
  if (status.schema_version < status.newest_known_version) {
    schema += ", version " + std::to_string(status.newest_known_version) + " is known: run `steelyard db migrate`";
  } else if (status.schema_version > status.newest_known_version) {
    schema += ", newer than this program knows (" + std::to_string(status.newest_known_version) + "): update steelyard";
  }
  std::vector<std::vector<std::string>> rows{
      {"store", printable(status.address, style.unicode)},
      {"server", "PostgreSQL " + printable(status.server_version, style.unicode)},
      {"schema", schema},
      {"runs", grouped_text(status.runs)},
      {"measurements", grouped_text(status.measurements)},
      {"samples", grouped_text(status.samples)},
      {"comparisons", grouped_text(status.comparisons)},
      {"size", to_text(Bytes(status.bytes))},
      {"spool", status.spooled == 0 ? "empty" : grouped_text(status.spooled) + " waiting to be delivered"},
  };
  return aligned_rows(rows, {Align::left, Align::left}, "");
}

std::string terminal_upkeep(const StoreUpkeep& upkeep) {
  constexpr std::size_t kMostTables = 8;  // the largest; the others weigh nothing beside them
  const auto bytes = [](std::int64_t count) { return to_text(Bytes(count)); };
  const auto day = [](const std::string& time) { return time.empty() ? "never" : time.substr(0, 10); };
  std::vector<std::vector<std::string>> rows{{"table", "rows", "dead", "size", "indexes", "vacuumed", "analyzed"}};
  for (const TableUpkeep& table : upkeep.tables) {
    if (rows.size() > kMostTables) break;
    rows.push_back({table.table, grouped_text(table.rows), grouped_text(table.dead_rows), bytes(table.table_bytes),
                    bytes(table.index_bytes), day(table.last_vacuum), day(table.last_analyze)});
  }
  std::string text =
      '\n' +
      aligned_rows(
          rows, {Align::left, Align::right, Align::right, Align::right, Align::right, Align::left, Align::left}, "") +
      '\n';
  text += "partitions    " + grouped_text(static_cast<std::int64_t>(upkeep.partitions.size())) + ", " +
          grouped_text(upkeep.partitions_ahead) + " of them ready for later runs\n";
  if (upkeep.bytes_per_sample) {
    text +=
        "a sample      " + decimal_text(*upkeep.bytes_per_sample, 1) + " bytes, with its share of rows and indexes\n";
  }
  if (upkeep.pruned_runs > 0) text += "pruned        " + grouped_text(upkeep.pruned_runs) + " runs\n";
  return text + "frozen        " + grouped_text(upkeep.oldest_transaction_age) + " transactions ago, at the oldest\n";
}

std::string json_status(const StoreStatus& status) { return json_document(status_json(status)); }

std::string json_status(const StoreStatus& status, const StoreUpkeep& upkeep) {
  Json tables = Json::array();
  for (const TableUpkeep& table : upkeep.tables) {
    tables.push_back({{"table", table.table},
                      {"rows", table.rows},
                      {"dead_rows", table.dead_rows},
                      {"table_bytes", table.table_bytes},
                      {"index_bytes", table.index_bytes},
                      {"last_vacuum", json_text(table.last_vacuum)},
                      {"last_analyze", json_text(table.last_analyze)}});
  }
  Json partitions = Json::array();
  for (const PartitionUpkeep& partition : upkeep.partitions) {
    partitions.push_back({{"name", partition.name},
                          {"first_run", partition.first_run},
                          {"last_run", partition.last_run},
                          {"bytes", partition.bytes},
                          {"is_closed", partition.is_closed}});
  }
  Json json = status_json(status);
  json["sample_bytes"] = upkeep.sample_bytes;
  json["bytes_per_sample"] = upkeep.bytes_per_sample ? Json(*upkeep.bytes_per_sample) : Json(nullptr);
  json["partitions_ahead"] = upkeep.partitions_ahead;
  json["oldest_transaction_age"] = upkeep.oldest_transaction_age;
  json["pruned_runs"] = upkeep.pruned_runs;
  json["tables"] = std::move(tables);
  json["partitions"] = std::move(partitions);
  json["advice"] = upkeep.advice;
  return json_document(json);
}

}  // namespace steelyard
