// gate --against-history: for a nightly, or a runner that cannot rebuild the parent. The candidate, measured alone, is
// held against the recent level of each of its series on the same machine; where the store has a run of its parent that
// was measured together with it, against that.
#pragma once

#include "ci/app/exit_code.hpp"
#include "ci/app/options.hpp"
#include "ci/app/streams.hpp"
#include "ci/config/configuration.hpp"

namespace steelyard {

ExitCode gate_against_history(const GateOptions& options, const Configuration& configuration, Streams& streams);

}  // namespace steelyard
