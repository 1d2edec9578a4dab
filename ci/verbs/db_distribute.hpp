// steelyard db distribute: one store on several machines. docs/scale.md says when that is worth it.
#pragma once

#include "ci/app/exit_code.hpp"
#include "ci/app/options.hpp"
#include "ci/app/streams.hpp"
#include "ci/config/configuration.hpp"

namespace steelyard {

// Prints which table is where, or with options.dry_run would be. bad_input where the server cannot be distributed.
ExitCode distribute_store(const DbOptions& options, const Configuration& configuration, Streams& streams);

}  // namespace steelyard
