// The measured ceilings of a machine as a run: they go to the store like any other, so that their history can be seen,
// and stay in the state folder under the machine's fingerprint, where a run's utilization finds them.
//
//     Result<std::optional<DeviceCeilings>> kept = read_ceilings(state_folder(), run.environment.fingerprint());
//     if (kept && *kept) use(**kept);
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "bench/model/ceiling.hpp"
#include "bench/model/result.hpp"
#include "bench/model/run.hpp"

namespace steelyard::ci {

// Benchmarks "ceiling/f32/threads:1" with metric flops (i8: operations, in op/s) and "ceiling/DRAM/triad/threads:2"
// with metric bandwidth; each repetition is a sample of one invocation. Clocks are a metric of their own. What was
// absent and the notes are settings of the header. Not sealed.
Run run_of_ceilings(const DeviceCeilings& ceilings, const Environment& environment);

// The way back; measurements of other benchmarks are excluded, and those that are no rate. Of a device's program too,
// which names its axes: "ceiling/dtype:bf16", "ceiling/access:copy/level:DRAM". These are the device's as a whole.
DeviceCeilings ceilings_of_run(const Run& run);

// state/ceilings/<fingerprint>.syrun
std::filesystem::path ceilings_file(const std::filesystem::path& state, const std::string& fingerprint);
// Makes the folder where it is missing. The run is sealed.
Result<void> keep_ceilings(const std::filesystem::path& state, const Run& run);
// Absent where this machine's were never measured. Error (input): the file cannot be read, or is another machine's.
Result<std::optional<DeviceCeilings>> read_ceilings(const std::filesystem::path& state, const std::string& fingerprint);

}  // namespace steelyard::ci
