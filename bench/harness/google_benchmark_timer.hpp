// A Google Benchmark function timed as a Timer times a callable: what comes out is a TaskMeasurement. The library does
// the running (its calibration, its PauseTiming, its threads), this asks it for separate blocks. In a target of its
// own, steelyard::google_benchmark_timer, so that the harness itself needs no Google Benchmark.
//
//     Result<TaskMeasurement> times = time_google_benchmark(BM_sort, {.task = {.statement = "BM_sort"}});
//
// The library keeps what was once registered: call this after the program's own RunSpecifiedBenchmarks(), if it has
// one, else that will list the function once more and skip it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/harness/task_measurement.hpp"
#include "bench/model/quantity.hpp"
#include "bench/model/result.hpp"

namespace benchmark {
class State;
}

namespace steelyard {

struct GoogleTimerOptions {
  TaskSpec task = {};                         // threads: the function runs in so many at once (Google's Threads())
  std::vector<std::int64_t> arguments = {};   // what state.range() gives
  Nanoseconds block_time = milliseconds(10);  // of a block at least; above 0
  int blocks = 20;                            // at least 1
  std::string fingerprint = {};
};

// Raw times are wall time, of state.iterations() runs each; with threads, as the library reports them (the iterations
// of all threads over the time of one). Error (program): the function throws, skips itself with an error, or ends
// before its loop does; with its text. Error (input): an option without sense.
Result<TaskMeasurement> time_google_benchmark(const std::function<void(benchmark::State&)>& function,
                                              const GoogleTimerOptions& options = {});

}  // namespace steelyard
