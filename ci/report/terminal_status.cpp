// What a store holds, in a few lines.
#include "bench/model/quantity.hpp"
#include "ci/app/terminal_text.hpp"
#include "ci/report/number_text.hpp"
#include "ci/report/report.hpp"

namespace steelyard {

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

}  // namespace steelyard
