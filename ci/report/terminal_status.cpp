// What a store holds, in a few lines.
#include "bench/model/quantity.hpp"
#include "ci/report/number_text.hpp"
#include "ci/report/report.hpp"
#include "ci/report/terminal_text.hpp"

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

}  // namespace steelyard
