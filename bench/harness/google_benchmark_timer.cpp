#include "bench/harness/google_benchmark_timer.hpp"

#include <benchmark/benchmark.h>

#include <atomic>
#include <cmath>
#include <exception>
#include <memory>

namespace steelyard {
namespace {

// What the registered function shares with the call that times it: the registry outlives the call.
struct Call {
  std::function<void(benchmark::State&)> function;  // empty once the call is over
};

void run_guarded(const Call& call, benchmark::State& state) {
  if (!call.function) return state.SkipWithError("it was timed by itself and is over");
  try {
    call.function(state);
  } catch (const std::exception& exception) {
    return state.SkipWithError(exception.what());
  } catch (...) {
    return state.SkipWithError("threw what is no std::exception");
  }
  // The library aborts the program where a function ends before its loop does.
  if (!state.error_occurred() && state.iterations() < state.max_iterations) {
    state.SkipWithError("it ended before its loop did");
  }
}

// Its own fields until 1.7, others since.
template <class Run>
std::string error_in(const Run& run) {
  const auto named = [](const std::string& text) { return text.empty() ? std::string("it skipped itself") : text; };
  if constexpr (requires { run.error_occurred; }) {
    return run.error_occurred ? named(run.error_message) : "";
  } else {
    return run.skipped != decltype(run.skipped){} ? named(run.skip_message) : "";
  }
}

class BlockCollector : public benchmark::BenchmarkReporter {
 public:
  explicit BlockCollector(TaskMeasurement& measurement) : measurement_(measurement) {}

  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration) continue;
      if (const std::string text = error_in(run); !text.empty()) {
        error_ = text;
        continue;
      }
      measurement_.runs_per_time = run.iterations;
      measurement_.raw_times.push_back(run.real_accumulated_time);
    }
  }
  const std::string& error() const { return error_; }

 private:
  TaskMeasurement& measurement_;
  std::string error_;
};

std::string unused_name() {
  static std::atomic<int> used = 0;  // the registry of the library is the program's, so is the count of its names
  return "steelyard_timed_" + std::to_string(used++);
}

Result<void> check(const GoogleTimerOptions& options) {
  const auto error = [](const char* option, std::string found, const char* wanted) {
    return input_error(std::string("timer: ") + option, std::move(found), wanted);
  };
  if (options.task.threads < 1) return error("threads", std::to_string(options.task.threads), "at least 1");
  if (options.blocks < 1) return error("blocks", std::to_string(options.blocks), "at least 1");
  if (!(options.block_time.count() > 0) || !std::isfinite(options.block_time.count())) {
    return error("block_time", std::to_string(options.block_time.count()) + " ns", "a time above 0");
  }
  return {};
}

}  // namespace

Result<TaskMeasurement> time_google_benchmark(const std::function<void(benchmark::State&)>& function,
                                              const GoogleTimerOptions& options) {
  STEELYARD_CHECK(check(options));
  const auto call = std::make_shared<Call>(Call{function});
  const std::string name = unused_name();
  auto* registered =
      benchmark::RegisterBenchmark(name.c_str(), [call](benchmark::State& state) { run_guarded(*call, state); });
  registered->UseRealTime()->MinTime(in_seconds(options.block_time))->Repetitions(options.blocks);
  registered->ReportAggregatesOnly(false);
  if (!options.arguments.empty()) registered->Args(options.arguments);
  if (options.task.threads > 1) registered->Threads(options.task.threads);

  TaskMeasurement measurement;
  measurement.task = options.task;
  measurement.fingerprint = options.fingerprint;
  measurement.metadata = {{"clock", "Google Benchmark, real time"}, {"rule", "google-benchmark"}};
  BlockCollector collector(measurement);
  benchmark::RunSpecifiedBenchmarks(&collector, '^' + name + "(/|$)");
  call->function = nullptr;
  if (!collector.error().empty()) {
    return program_error("timer of \"" + options.task.title() + '"', collector.error());
  }
  if (measurement.raw_times.empty()) {
    return program_error("timer of \"" + options.task.title() + '"', "Google Benchmark reported no run of it");
  }
  return measurement;
}

}  // namespace steelyard
