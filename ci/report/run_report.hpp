// One run for a person and for a program: each benchmark's level, spread within and between invocations, counts,
// failures.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/model/run.hpp"
#include "bench/model/target.hpp"
#include "ci/app/terminal_text.hpp"
#include "regress/scaling/sweep.hpp"

namespace steelyard::ci {

std::string terminal_run(const Run& run, const TerminalStyle& style, const TargetReport& targets = {});
std::string json_run(const Run& run, const TargetReport& targets = {});  // schema steelyard.run/1

// The counters that were asked for (docs/guide/counters.md), as terminal_run() shows them: one small table for each
// kind of counter, a line a benchmark, per iteration. Empty where the run has none.
std::string terminal_counters(const Run& run, const TerminalStyle& style);

// The sweeps of a run for a person and for a program: how a level grows with a size, how sure that is, and what becomes
// of a claimed exponent.

// One sentence a person can read: "a claimed exponent of 1 lies outside the interval [0.61, 0.63]".
std::string claim_reason(const regress::ScalingFit& fit, const regress::Claim& claim);
// What was excluded of a sweep, and why its exponent is not sure or not the whole story.
std::vector<std::string> sweep_warnings(const regress::Sweep& sweep);

// Each sweep: its exponent with the interval, doubts, the claim's verdict, sizes and levels, a plot.
std::string terminal_sweeps(const std::vector<regress::Sweep>& sweeps, const std::optional<regress::Claim>& claim,
                            const TerminalStyle& style);
// schema steelyard.sweep/1
std::string json_sweeps(const RunHeader& header, const std::vector<regress::Sweep>& sweeps,
                        const std::optional<regress::Claim>& claim);

}  // namespace steelyard::ci
