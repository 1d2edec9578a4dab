// Builds and measures one commit alone, for a gate that has no baseline to measure beside it.
#pragma once

#include <string>
#include <vector>

#include "bench/model/run.hpp"
#include "ci/app/exit_code.hpp"
#include "ci/app/options.hpp"
#include "ci/app/streams.hpp"
#include "ci/config/configuration.hpp"

namespace steelyard {

struct HeadMeasurement {
  ExitCode code = ExitCode::success;  // else: already reported, and there is no run
  Run run;                            // sealed
  std::vector<std::string> warnings;
  bool interrupted = false;  // the run holds what was measured until then
};

// The commit that options.head names (default HEAD), in a work tree of its own; all configured programs, or
// options.bench. The budget is shared by the programs.
HeadMeasurement measure_head(const GateOptions& options, const Configuration& configuration, Streams& streams);

}  // namespace steelyard
