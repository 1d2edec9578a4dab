// The actions of `steelyard db` that are about who may do what, and about what an upgrade would do.
#pragma once

#include "ci/app/exit_code.hpp"
#include "ci/app/options.hpp"
#include "ci/app/streams.hpp"
#include "ci/config/configuration.hpp"

namespace steelyard {

ExitCode grant_access(const DbOptions& options, const Configuration& configuration, Streams& streams);
ExitCode show_upgrade(const DbOptions& options, const Configuration& configuration, Streams& streams);

}  // namespace steelyard
