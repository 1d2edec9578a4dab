// Asks time itself: how finely the clock ticks, and how evenly a loop of fixed work runs. What the files do not tell (a
// neighbour on the same host, an interrupt storm, a clock that moves) shows here.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bench/model/quantity.hpp"

namespace steelyard::bench {

struct ClockReading {
  double step_ns = 0;  // the smallest difference seen between two readings that differ
  double read_ns = 0;  // what one reading costs
};

// How the times of equal slices of work are spread. Of `slices`: at least one, each above 0.
struct SliceSummary {
  std::int64_t slices = 0;
  double median_ns = 0;
  double spread = 0;   // from the 10th to the 90th percentile, over the median
  double lost = 0;     // share of all the time that lies above the median: what was taken away
  double longest = 0;  // the longest slice over the median
};
SliceSummary summarize_slices(std::vector<double> slices_ns);

struct ProbeResult {
  ClockReading clock;
  SliceSummary slices;
  double seconds = 0;
  std::int64_t involuntary_switches = 0;
  std::optional<double> steal;                    // share of the busy time of the whole machine
  std::optional<std::int64_t> throttled_periods;  // of the control group
};

// Spins for about this long (from 1 ms to a minute) on the core that the caller happens to be on.
ProbeResult probe_noise(Nanoseconds duration);

}  // namespace steelyard::bench
