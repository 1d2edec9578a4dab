// The actions of steelyard targets, each as a function of what it was asked.
#pragma once

#include "ci/app/exit_code.hpp"
#include "ci/app/options.hpp"
#include "ci/app/streams.hpp"

namespace steelyard {

// With --from those that a run measured, else this machine's. Prints them, keeps them under the machine's fingerprint
// in the state folder, and delivers the run to the store.
ExitCode measure_and_keep_ceilings(const TargetsOptions& options, Streams& streams);
// Holds runs, measured before, against their targets; prints verdicts and utilization. 1: missed; 2: undecided, or no
// target at all.
ExitCode check_targets(const TargetsOptions& options, Streams& streams);
// Draws one run's benchmarks under the ceilings of its machine.
ExitCode draw_roofline(const TargetsOptions& options, Streams& streams);
ExitCode print_datasheet(const TargetsOptions& options, Streams& streams);

}  // namespace steelyard
