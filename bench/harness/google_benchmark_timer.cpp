#include "bench/harness/google_benchmark_timer.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <memory>
#include <stdexcept>
#include <utility>

// --benchmark_out. No header declares it; a library that hides it leaves its address null.
namespace benchmark {
extern std::string FLAGS_benchmark_out __attribute__((weak));
}

namespace steelyard {
namespace {

// What the registered function shares with the call that times it: the registry outlives the call.
struct Call {
  std::function<void(benchmark::State&)> function;  // empty once the call is over
};

// SkipWithMessage came with 1.8.
template <class State>
bool has_skipped(const State& state) {
  if constexpr (requires { state.skipped(); }) {
    return state.skipped();
  } else {
    return state.error_occurred();
  }
}

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
  if (!has_skipped(state) && state.iterations() < state.max_iterations) {
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

// The library empties the file of --benchmark_out whenever it runs anything: the report of the program's own benchmarks
// would be gone.
class ReportFileKept {
 public:
  ReportFileKept() {
    if (&benchmark::FLAGS_benchmark_out != nullptr) std::swap(benchmark::FLAGS_benchmark_out, file_);
  }
  ReportFileKept(const ReportFileKept&) = delete;
  ReportFileKept& operator=(const ReportFileKept&) = delete;
  ~ReportFileKept() {
    if (&benchmark::FLAGS_benchmark_out != nullptr) std::swap(benchmark::FLAGS_benchmark_out, file_);
  }

 private:
  std::string file_;
};

// What is wrong; empty: nothing.
std::string run_registered(const std::string& name, TaskMeasurement& measurement) {
  const ReportFileKept kept;
  BlockCollector collector(measurement);
  benchmark::RunSpecifiedBenchmarks(&collector, '^' + name + "(/|$)");
  if (!collector.error().empty()) return collector.error();
  return measurement.raw_times.empty() ? "Google Benchmark reported no run of it" : "";
}

std::string unused_name() {
  static std::atomic<int> used = 0;  // the registry of the library is the program's, so is the count of its names
  return "steelyard_timed_" + std::to_string(used++);
}

auto* register_call(const std::string& name, const std::shared_ptr<Call>& call,
                    const std::vector<std::int64_t>& arguments, int threads) {
  auto* registered =
      benchmark::RegisterBenchmark(name.c_str(), [call](benchmark::State& state) { run_guarded(*call, state); });
  registered->UseRealTime();
  if (!arguments.empty()) registered->Args(arguments);
  if (threads > 1) registered->Threads(threads);
  return registered;
}

// A run is an iteration of the function's own loop; what stands around the loop is not timed.
class GoogleClock : public RunClock {
 public:
  GoogleClock(std::function<void(benchmark::State&)> function, const std::vector<std::int64_t>& arguments, int threads)
      : function_(std::move(function)) {
    auto* registered = register_call(name_, call_, arguments, threads);
    registered->Repetitions(1)->ReportAggregatesOnly(false);
    set_runs_ = [registered](std::int64_t runs) { registered->Iterations(runs); };
  }
  GoogleClock(const GoogleClock&) = delete;
  GoogleClock& operator=(const GoogleClock&) = delete;
  ~GoogleClock() override { call_->function = nullptr; }

  double seconds_of(std::int64_t runs, const TimedLoop&) override {
    // The library makes no loop of 0 iterations; one around nothing costs what reading the clock does.
    call_->function = runs > 0 ? function_ : [](benchmark::State& state) {
      for (auto _ : state) benchmark::ClobberMemory();
    };
    set_runs_(std::max<std::int64_t>(runs, 1));
    TaskMeasurement block;
    const std::string wrong = run_registered(name_, block);
    if (!wrong.empty()) throw std::runtime_error(wrong);
    // With threads the library counts the iterations of all of them.
    return block.times_in_order().front() * static_cast<double>(std::max<std::int64_t>(runs, 1));
  }
  std::string name() const override { return "Google Benchmark, real time"; }

 private:
  std::function<void(benchmark::State&)> function_;
  std::shared_ptr<Call> call_ = std::make_shared<Call>();
  std::string name_ = unused_name();
  std::function<void(std::int64_t)> set_runs_;
};

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
  auto* registered = register_call(name, call, options.arguments, options.task.threads);
  registered->MinTime(in_seconds(options.block_time))->Repetitions(options.blocks);
  registered->ReportAggregatesOnly(false);

  TaskMeasurement measurement;
  measurement.task = dedented(options.task);
  measurement.fingerprint = options.fingerprint;
  measurement.metadata = {{"clock", "Google Benchmark, real time"}, {"rule", "google-benchmark"}};
  const std::string wrong = run_registered(name, measurement);
  call->function = nullptr;
  if (!wrong.empty()) return program_error("timer of \"" + measurement.task.title() + '"', wrong);
  return measurement;
}

Timer google_benchmark_timer(const std::function<void(benchmark::State&)>& function, TimerOptions options,
                             const std::vector<std::int64_t>& arguments) {
  const auto clock = std::make_shared<GoogleClock>(function, arguments, options.task.threads);
  options.clock = clock;
  return Timer([clock](std::int64_t runs) { clock->seconds_of(runs, {}); }, std::move(options));
}

}  // namespace steelyard
