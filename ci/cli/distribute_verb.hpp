// steelyard db distribute: one store on several machines. docs/operations/scale.md says when that is worth it.
#pragma once

#include "ci/cli/options.hpp"
#include "ci/cli/streams.hpp"
#include "ci/config/configuration.hpp"
#include "ci/exit_code.hpp"

namespace steelyard {

// Prints which table is where, or with options.dry_run would be. bad_input where the server cannot be distributed.
ExitCode distribute_store(const DbOptions& options, const Configuration& configuration, Streams& streams);

}  // namespace steelyard
