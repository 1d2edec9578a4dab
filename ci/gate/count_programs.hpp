// Counts the instructions of programs, both sides together and never beside timing, and adds the counts to their runs.
#pragma once

#include <atomic>
#include <cstdint>
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

// One side of one program. Without a program: there is none to count.
struct CountSide {
  const Program* program = nullptr;
  std::vector<std::string> benchmarks;
  Run* run = nullptr;
};
struct CountPair {
  CountSide baseline;
  CountSide candidate;
};
struct CountLimits {
  Nanoseconds budget;   // of all
  Nanoseconds timeout;  // of one process at its native speed; counting is granted a multiple
  // Of the order of the benchmarks. Both sides of one follow each other, so that a budget that ends leaves no count
  // without its counterpart; a new seed at each gate brings every benchmark to the front in time.
  std::uint64_t seed = 0;
  const std::atomic<bool>* cancelled = nullptr;
};

// Where a program cannot be counted at all, each of its benchmarks has a Failure of kInstructions in its run.
void count_programs(const std::vector<CountPair>& pairs, const CountLimits& limits, ProgressLine& progress);

}  // namespace steelyard
