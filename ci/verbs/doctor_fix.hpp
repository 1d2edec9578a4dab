// `steelyard doctor --fix -- COMMAND` and `steelyard doctor --restore`.
#pragma once

#include "ci/app/exit_code.hpp"
#include "ci/app/options.hpp"
#include "ci/app/streams.hpp"

namespace steelyard {

// Mends what can be undone, runs the command, sets everything back. Returns the command's own status (128 and the
// number of a signal that ended it), or 3 where the settings could not be set back after a command that succeeded.
ExitCode run_fixed_command(const DoctorOptions& options, Streams& streams);
// Sets back what a --fix left whose processes were all killed.
ExitCode restore_settings(const DoctorOptions& options, Streams& streams);

}  // namespace steelyard
