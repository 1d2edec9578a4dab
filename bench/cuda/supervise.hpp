// Measures a list of benchmarks in processes of their own, one after another: one process for all as long as nothing
// goes wrong, a fresh one for the next benchmark after a crash, a hang, or whatever else a device's context does not
// survive. The process that supervises never touches the device.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "bench/cuda/worker_process.hpp"
#include "bench/cuda/worker_report.hpp"
#include "bench/model/result.hpp"

namespace steelyard::cuda {

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
