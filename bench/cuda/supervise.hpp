// Measures a list of benchmarks in processes of their own, one after another: one process for all as long as nothing
// goes wrong, a fresh one for the next benchmark after a crash, a hang, or whatever else a device's context does not
// survive. The process that supervises never touches the device.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/cuda/device_row.hpp"
#include "bench/model/quantity.hpp"
#include "bench/model/result.hpp"

namespace steelyard::cuda {

// What the process that measures tells the one that started it, through a file that outlives a crash: lines of fields
// between tabs, appended as they come to be.
//
//     fact   KEY VALUE           of the device, once, first
//     fault  MESSAGE             no device could be used at all; nothing follows
//     begin  NAME                this benchmark is being run
//     row    NAME END COLD HOT FLOPS BANDWIDTH TOKENS SAMPLES TEXT
//                                its summary; rates and times 0 where there are none
//     record JSON                of this row, one line each
//     end    NAME                the row is whole; one without this line did not happen

using Facts = std::vector<std::pair<std::string, std::string>>;

// For the table and the progress; medians.
struct RowSummary {
  std::string name;
  RowEnd end = RowEnd::measured;
  std::optional<double> cold_ns = {};  // absent where there are no such samples
  std::optional<double> hot_ns = {};
  double flops = 0;      // per second, of the times that the row's rates are of
  double bandwidth = 0;  // bytes per second, of the same
  double tokens = 0;     // per second, of the same
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

// Runs one process that measures, and watches the file it reports to: a benchmark that shows no progress for too long
// is ended. The process shares our terminal and our process group, so that what ends us ends it.

struct WorkerCommand {
  std::filesystem::path executable;
  std::vector<std::string> arguments;
  std::filesystem::path report;                // is emptied first
  Nanoseconds longest_silence = seconds(120);  // between two things that it reports
};

struct WorkerEnd {
  int exit_code = -1;  // -1: it did not exit by itself
  int signal = 0;
  bool was_silent = false;  // and ended for it
  Nanoseconds longest_silence;
  bool was_cancelled = false;
  std::string describe() const;
};

using WorkerProgress = std::function<void(const WorkerReport&)>;

// Error (program): it cannot be started. `progress` is called whenever something was reported; `cancelled` may be null.
Result<WorkerEnd> run_worker(const WorkerCommand& command, WorkerReport& report, const WorkerProgress& progress,
                             const std::atomic<int>* cancelled);

// A worker ends with this status when its rows so far are whole and the next wants a fresh process.
inline constexpr int kWantsFreshProcess = 75;

struct SupervisedBenchmark {
  std::string name;
  std::string target = {};  // empty: none
};

struct Supervision {
  std::filesystem::path executable;
  std::vector<std::string> arguments;  // the worker gets two more: --steelyard_worker=FILE, --steelyard_worker_first=N
  std::vector<SupervisedBenchmark> benchmarks;  // in the order in which the worker runs them
  std::filesystem::path report;
  Nanoseconds longest_silence = seconds(120);
  std::function<void(std::size_t done, const std::string& name)> progress;  // may be empty
  // Each row once, in order, as soon as it is whole; may be empty.
  std::function<void(const Facts& facts, const FinishedRow& row)> keep;
  const std::atomic<int>* cancelled = nullptr;
};

struct SuiteReport {
  Facts facts;
  std::vector<FinishedRow> rows;  // one a benchmark, in order; fewer where it was cancelled
  int processes = 0;
};

// Error (program): no device can be used at all, in the worker's words; or no worker can be started.
Result<SuiteReport> supervise(const Supervision& supervision);

}  // namespace steelyard::cuda
