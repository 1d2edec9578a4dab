// One run for a person and for a program: each benchmark's level, spread within and between invocations, counts,
// failures.
#pragma once

#include <string>

#include "bench/model/run.hpp"
#include "bench/model/target.hpp"
#include "ci/app/terminal_text.hpp"

namespace steelyard {

std::string terminal_run(const Run& run, const TerminalStyle& style, const TargetReport& targets = {});
std::string json_run(const Run& run, const TargetReport& targets = {});  // schema steelyard.run/1

// The counters that were asked for (docs/guide/counters.md), as terminal_run() shows them: one small table for each
// kind of counter, a line a benchmark, per iteration. Empty where the run has none.
std::string terminal_counters(const Run& run, const TerminalStyle& style);

}  // namespace steelyard
