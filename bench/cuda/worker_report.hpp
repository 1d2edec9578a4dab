// What the process that measures tells the one that started it, through a file that outlives a crash: lines of fields
// between tabs, appended as they come to be.
//
//     fact   KEY VALUE           of the device, once, first
//     fault  MESSAGE             no device could be used at all; nothing follows
//     begin  NAME                this benchmark is being run
//     row    NAME END COLD HOT FLOPS BANDWIDTH SAMPLES TEXT    its summary; rates and times 0 where there are none
//     record JSON                of this row, one line each
//     end    NAME                the row is whole; one without this line did not happen
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/cuda/device_row.hpp"

namespace steelyard::cuda {

using Facts = std::vector<std::pair<std::string, std::string>>;

// For the table and the progress; medians.
struct RowSummary {
  std::string name;
  RowEnd end = RowEnd::measured;
  double cold_ns = 0;
  double hot_ns = 0;
  double flops = 0;      // per second, cold
  double bandwidth = 0;  // bytes per second, cold
  std::int64_t samples = 0;
  std::string text;  // the label, or why there are no samples
  bool operator==(const RowSummary&) const = default;
};
RowSummary summary_of(const DeviceRow& row);

struct FinishedRow {
  RowSummary summary;
  std::vector<std::string> records;
};
FinishedRow finished(const DeviceRow& row);

// Lines to append.
std::string fact_lines(const Facts& facts);
std::string fault_line(std::string_view message);
std::string begin_line(std::string_view name);
std::string row_lines(const FinishedRow& row);

// Reads what has come so far; a last line without its end waits for the rest. Lines that are none are left out: a
// process that is ended in the midst of one is what this is for.
class WorkerReport {
 public:
  void add(std::string_view text);

  const Facts& facts() const { return facts_; }
  const std::optional<std::string>& fault() const { return fault_; }
  const std::vector<FinishedRow>& rows() const { return rows_; }
  // The benchmark that was begun and has not ended.
  const std::optional<std::string>& begun() const { return begun_; }

 private:
  void add_line(std::string_view line);

  std::string rest_;
  Facts facts_;
  std::optional<std::string> fault_;
  std::optional<std::string> begun_;
  FinishedRow open_;
  std::vector<FinishedRow> rows_;
};

}  // namespace steelyard::cuda
