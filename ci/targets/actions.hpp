// The actions of steelyard targets, each as a function of what it was asked.
#pragma once

#include "ci/cli/options.hpp"
#include "ci/cli/streams.hpp"
#include "ci/exit_code.hpp"

namespace steelyard {

ExitCode print_datasheet(const TargetsOptions& options, Streams& streams);

}  // namespace steelyard
