// steelyard history --changed-in and --top-movers: what happened between two commits.
#pragma once

#include "ci/app/exit_code.hpp"
#include "ci/app/options.hpp"
#include "ci/app/streams.hpp"
#include "ci/config/configuration.hpp"

namespace steelyard {

ExitCode show_range(const HistoryOptions& options, const Configuration& configuration, Streams& streams);

}  // namespace steelyard
