// How many of a run's processes were disturbed, by what, and whether they count: for the one line in a report.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>

#include "bench/model/run.hpp"

namespace steelyard {

struct DisturbanceSummary {
  std::size_t invocations = 0;                  // of all that were taken
  std::size_t disturbed = 0;                    // of these
  std::size_t left_out = 0;                     // of the disturbed: the other taking of their round counts
  std::map<std::string, std::size_t> by_cause;  // one invocation may have several
};

// Of the runs together, as the two sides of a comparison.
DisturbanceSummary summarize_disturbances(std::span<const Run* const> runs);

// "12 of 48 processes were disturbed (8 by steal time, 4 by involuntary switches): 10 are left out, as their
// rounds were measured again; 2 count"; empty where none was.
std::string to_text(const DisturbanceSummary& summary);

}  // namespace steelyard
