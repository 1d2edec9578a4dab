// A short look at every benchmark before the first round: what one process of it costs. One or two processes a side,
// whose samples count for nothing. What it learns decides how long samples are and never which of them count.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "bench/runner/measured_side.hpp"
#include "bench/runner/sample_plan.hpp"

namespace steelyard {

struct PilotPlan {
  std::vector<MeasuredSide*> sides;
  bool at_once = false;    // the sides run side by side, each on a core of its own
  std::vector<int> cores;  // to pin to; empty: nothing is pinned
  Nanoseconds limit;       // of the whole pilot; what it does not reach has no cost
  std::uint64_t seed = 0;  // of the order, so that a limit does not always spare the same
  std::function<void(const std::string&, int done, int all)> progress;
  const std::atomic<bool>* cancelled = nullptr;
};

struct PilotOutcome {
  std::map<std::string, ProcessCost> costs;  // by benchmark as listed
  Nanoseconds took;
};

// A benchmark that fails here has no cost; its failure is not recorded, because its rounds will tell.
PilotOutcome run_pilot(const PilotPlan& plan);

}  // namespace steelyard
