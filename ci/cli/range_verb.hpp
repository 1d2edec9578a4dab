// steelyard history --changed-in and --top-movers: what happened between two commits.
#pragma once

#include "ci/cli/options.hpp"
#include "ci/cli/streams.hpp"
#include "ci/config/configuration.hpp"
#include "ci/exit_code.hpp"

namespace steelyard {

ExitCode show_range(const HistoryOptions& options, const Configuration& configuration, Streams& streams);

}  // namespace steelyard
