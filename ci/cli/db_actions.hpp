// The actions of steelyard db that are more than a few lines, each with the configuration in force.
#pragma once

#include "ci/cli/options.hpp"
#include "ci/cli/streams.hpp"
#include "ci/config/configuration.hpp"
#include "ci/exit_code.hpp"

namespace steelyard {

ExitCode prune_store(const DbOptions& options, const Configuration& configuration, Streams& streams);
ExitCode back_store_up(const DbOptions& options, const Configuration& configuration, Streams& streams);
ExitCode restore_from_backup(const DbOptions& options, const Configuration& configuration, Streams& streams);

}  // namespace steelyard
