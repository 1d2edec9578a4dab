// The actions of steelyard targets, each as a function of what it was asked.
#pragma once

#include "ci/cli/options.hpp"
#include "ci/cli/streams.hpp"
#include "ci/exit_code.hpp"

namespace steelyard {

// Prints them, keeps them under the machine's fingerprint in the state folder, and delivers the run to the store.
ExitCode measure_and_keep_ceilings(const TargetsOptions& options, Streams& streams);
ExitCode print_datasheet(const TargetsOptions& options, Streams& streams);

}  // namespace steelyard
