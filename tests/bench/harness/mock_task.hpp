// Tasks whose cost is known and whose noise is numpy's, timed as the reference does: what a table's golden files hold.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "bench/harness/numpy_random.hpp"
#include "bench/model/task_measurement.hpp"

namespace steelyard {

// Time of n runs: reading the clock, the runs, reading it again, each with 5 % normal noise, at least 5 ns.
class MockTask {
 public:
  MockTask(double seconds_per_run, double deviation = 0.05)
      : seconds_per_run_(seconds_per_run), deviation_(deviation), random_(0) {}

  double time_of(double runs) {
    // One after the other: the order of the draws is part of the stream.
    const double before = noisy(kClockSeconds);
    const double body = noisy(seconds_per_run_ * runs);
    return std::max(1e-9, before + body + noisy(kClockSeconds));
  }

  // Blocks of as many runs as calibration finds, until they sum to min_run_time.
  TaskMeasurement blocked(TaskSpec task, double min_run_time = 10) {
    TaskMeasurement measurement;
    measurement.task = std::move(task);
    measurement.runs_per_time = block_size(min_run_time);
    for (double sum = 0; sum < min_run_time; sum += measurement.raw_times.back()) {
      measurement.raw_times.push_back(time_of(static_cast<double>(measurement.runs_per_time)));
    }
    return measurement;
  }

 private:
  static constexpr double kClockSeconds = 100e-9;

  double noisy(double mean) { return std::max(random_.normal(mean, deviation_ * mean), 5e-9); }

  std::int64_t block_size(double min_run_time) {
    std::vector<double> overheads;
    for (int i = 0; i < 5; ++i) overheads.push_back(time_of(0));
    std::nth_element(overheads.begin(), overheads.begin() + 2, overheads.end());
    for (std::int64_t runs = 1;; runs *= 10) {
      const double time = time_of(static_cast<double>(runs));
      const bool is_quiet = overheads[2] / time <= 1e-4 && time >= min_run_time / 1000;
      if (is_quiet || time > min_run_time || runs * 10 > 2147483647) return runs;
    }
  }

  double seconds_per_run_;
  double deviation_;
  NumpyRandom random_;
};

}  // namespace steelyard
