// A Google Benchmark function timed as a Timer times a callable: what comes out is a TaskMeasurement. In a target of
// its own, steelyard::google_benchmark_timer, so that the harness itself needs no Google Benchmark.
//
//     Timer timer = google_benchmark_timer(BM_sort, {.task = {.statement = "BM_sort"}}, {1024});
//     Result<TaskMeasurement> times = timer.adaptive_autorange();
//
// The library keeps what was once registered: call this after the program's own RunSpecifiedBenchmarks(), if it has
// one, else that will list the function once more and skip it. Not for two threads at once, and not across
// benchmark::ClearRegisteredBenchmarks().
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/harness/timer.hpp"
#include "bench/model/quantity.hpp"
#include "bench/model/result.hpp"
#include "bench/model/task_measurement.hpp"

namespace benchmark {
class State;
}

namespace steelyard {

// All that a Timer does, of the function: timeit(), blocked_autorange(), adaptive_autorange(), trials(), with their
// rules and errors. A run is an iteration of its loop, so the function itself is called once a block, and its own setup
// and PauseTiming() are not timed. `options.clock` is replaced. `arguments`: what state.range() gives. With
// task.threads above 1 it runs in so many at once, and a time is that of the iterations of all over those of one
// thread. A function that skips itself, or ends before its loop does, counts as one that throws.
Timer google_benchmark_timer(const std::function<void(benchmark::State&)>& function, TimerOptions options = {},
                             const std::vector<std::int64_t>& arguments = {});

struct GoogleTimerOptions {
  TaskSpec task = {};                         // threads: the function runs in so many at once (Google's Threads())
  std::vector<std::int64_t> arguments = {};   // what state.range() gives
  Nanoseconds block_time = milliseconds(10);  // of a block at least; above 0
  int blocks = 20;                            // at least 1
  std::string fingerprint = {};
};

// Times with the library's own calibration: so many repetitions of the least iterations that fill block_time. Raw times
// are wall time, of state.iterations() runs each; with threads, as the library reports them (the iterations of all
// threads over the time of one). Error (program): the function throws, skips itself with an error, or ends before its
// loop does; with its text. Error (input): an option without sense.
Result<TaskMeasurement> time_google_benchmark(const std::function<void(benchmark::State&)>& function,
                                              const GoogleTimerOptions& options = {});

}  // namespace steelyard
