// Runs one process that measures, and watches the file it reports to: a benchmark that shows no progress for too long
// is ended. The process shares our terminal and our process group, so that what ends us ends it.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "bench/cuda/worker_report.hpp"
#include "bench/model/quantity.hpp"
#include "bench/model/result.hpp"

namespace steelyard::cuda {

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

}  // namespace steelyard::cuda
