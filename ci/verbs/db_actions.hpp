// The actions of steelyard db that are more than a few lines, each with the configuration in force.
#pragma once

#include "ci/app/exit_code.hpp"
#include "ci/app/options.hpp"
#include "ci/app/streams.hpp"
#include "ci/config/configuration.hpp"

namespace steelyard {

ExitCode prune_store(const DbOptions& options, const Configuration& configuration, Streams& streams);
ExitCode back_store_up(const DbOptions& options, const Configuration& configuration, Streams& streams);
ExitCode restore_from_backup(const DbOptions& options, const Configuration& configuration, Streams& streams);

}  // namespace steelyard
