// Counts the instructions of programs that were timed before, one after the other, and adds the counts to their runs.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "bench/counting/count.hpp"
#include "bench/model/run.hpp"
#include "bench/runner/program.hpp"
#include "ci/config/configuration.hpp"
#include "ci/report/progress_line.hpp"

namespace steelyard {

// Whether to count: not where the user said never, nor where the policy judges no counted metric, nor (with a warning)
// where it cannot be done here. Error (input): it cannot be done and the user said always.
Result<bool> counting_wanted(const MeasuringSettings& settings, const PolicySettings& policy,
                             std::vector<std::string>& warnings);

struct CountJob {
  const Program* program = nullptr;
  std::vector<std::string> benchmarks;
  Run* run = nullptr;
};
struct CountLimits {
  Nanoseconds budget;   // of all jobs
  Nanoseconds timeout;  // of one process at its native speed; counting is granted a multiple
  const std::atomic<bool>* cancelled = nullptr;
};

// Where a program cannot be counted at all, each of its benchmarks has a Failure of kInstructions in its run.
void count_programs(const std::vector<CountJob>& jobs, const CountLimits& limits, ProgressLine& progress);

}  // namespace steelyard
