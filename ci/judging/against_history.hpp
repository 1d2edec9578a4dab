// gate --against-history: for a nightly, or a runner that cannot rebuild the parent. The candidate, measured alone, is
// held against the recent level of each of its series on the same machine; where the store has a run of its parent that
// was measured together with it, against that.
#pragma once

#include "ci/judging/judge_programs.hpp"

namespace steelyard {

Result<ExitCode> gate_against_history(const GateOptions& gate, const Configuration& configuration, const App& app);

}  // namespace steelyard
