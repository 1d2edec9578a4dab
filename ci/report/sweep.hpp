// The sweeps of a run for a person and for a program: how a level grows with a size, how sure that is, and what becomes
// of a claimed exponent.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/model/run.hpp"
#include "ci/app/terminal_text.hpp"
#include "regress/scaling/sweep.hpp"

namespace steelyard {

// Each sweep: its exponent with the interval, doubts, the claim's verdict, sizes and levels, a plot.
std::string terminal_sweeps(const std::vector<Sweep>& sweeps, const std::optional<Claim>& claim,
                            const TerminalStyle& style);
// schema steelyard.sweep/1
std::string json_sweeps(const RunHeader& header, const std::vector<Sweep>& sweeps, const std::optional<Claim>& claim);

}  // namespace steelyard
