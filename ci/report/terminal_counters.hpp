// The counters that were asked for (docs/guide/counters.md), as `run` shows them: one small table for each kind of
// counter, a line a benchmark, per iteration.
#pragma once

#include <string>

#include "bench/model/run.hpp"
#include "ci/report/report.hpp"

namespace steelyard {

// Empty where the run has none.
std::string terminal_counters(const Run& run, const TerminalStyle& style);

}  // namespace steelyard
