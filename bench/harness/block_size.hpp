// How many runs one timed block has: enough that reading the clock does not count, few enough that there are many
// blocks. Two rules. The reference's grows by powers of ten, which falls in step with noise of a round period, and
// takes one slow time for a long statement. Ours aims at the time wanted, asks twice before it stops, and varies the
// runs of each block by seed (the idea is nanobench's).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "bench/harness/numpy_random.hpp"

namespace steelyard {

// Seconds of so many runs; above 0.
using TimeRuns = std::function<double(std::int64_t runs)>;

struct BlockCalibration {
  std::int64_t runs = 1;        // of a block
  double overhead_seconds = 0;  // of a block without runs
  double block_seconds = 0;     // of a block of `runs`
  // All that was timed on the way, in order: not part of the measurement, which they would bias (the first are cold).
  std::vector<std::int64_t> tried_runs;
  std::vector<double> tried_seconds;
};

// PyTorch's blocked_autorange: ten times as many runs until the overhead is at most 1e-4 of a block and a block at
// least min_run_time / 1000, or one takes longer than min_run_time, or the next would not fit 32 bits.
BlockCalibration calibrate_as_reference(const TimeRuns& time, double min_run_seconds);

// The same goals. The runs grow by what the last time asks for, tenfold at most; two blocks in a row must reach the
// goal, so that one disturbance does not end the search early.
BlockCalibration calibrate(const TimeRuns& time, double min_run_seconds);

// runs, and 0 to 20 % more. Below 5 runs there is nothing to vary.
std::int64_t vary_runs(std::int64_t runs, NumpyRandom& random);

}  // namespace steelyard
