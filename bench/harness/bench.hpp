// The shortest way to a number: warm up, run a few times, report how many, the median, and how sure that is. The
// counterpart of the benchmark() that courses write, whose mean of three cannot tell three equal trials from three wild
// ones. For short work, where one run is lost in the clock's own noise, use a Timer.
//
//     Result<BenchReport> report = bench("matmul 1024", [&] { return matmul(a, b); });
//     if (report) std::puts(report->text().c_str());
//     // matmul 1024: median 14.2 ms of 10 trials, 95 % interval 14.1 to 14.4 ms
#pragma once

#include <concepts>
#include <string>
#include <utility>

#include "bench/harness/median_interval.hpp"
#include "bench/harness/timer.hpp"

namespace steelyard {

struct BenchReport {
  TaskMeasurement measurement;  // one time a trial
  MedianInterval interval;      // its bounds are absent where the trials cannot carry one; it says why
  std::string text() const;     // one line
};

// trials: 10, since below 6 no interval of the median exists at 95 %.
struct BenchOptions {
  int warmups = 1;
  int trials = 10;
  TimerOptions timer = {};
};

// Precondition: the measurement has a time.
BenchReport report_of(TaskMeasurement measurement);

// Error: as Timer::trials().
template <std::invocable Statement>
Result<BenchReport> bench(std::string description, Statement run, BenchOptions options = {}) {
  options.timer.task.statement = std::move(description);
  Timer timer(std::move(run), std::move(options.timer));
  STEELYARD_TRY(TaskMeasurement measurement, timer.trials(options.trials, options.warmups));
  return report_of(std::move(measurement));
}

}  // namespace steelyard
