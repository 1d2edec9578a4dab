// Two runs of many benchmarks measured in rounds, with noise and small effects, for timing the judgement. Seeded.
#pragma once

#include <utility>

#include "bench/model/run.hpp"

namespace steelyard::judging {

struct SpeedShape {
  int benchmarks = 200;
  int rounds = 15;
  int samples = 10;  // of each invocation
};

// Baseline and candidate of one session, interleaved, order in balanced pairs. Every fourth benchmark is 2 % slower.
std::pair<Run, Run> speed_runs(const SpeedShape& shape);

}  // namespace steelyard::judging
