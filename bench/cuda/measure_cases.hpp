// What the process that measures does: makes each workload, has it prove its answer, times it, and reports its row.
#pragma once

#include <string>
#include <vector>

#include "bench/cuda/device_choice.hpp"
#include "bench/cuda/device_options.hpp"
#include "bench/cuda/device_properties.hpp"
#include "bench/cuda/device_suite.hpp"
#include "bench/cuda/supervise.hpp"
#include "bench/model/result.hpp"

namespace steelyard::cuda {

// The devices of this machine, as the CUDA runtime sees them.

// Asks the driver without making a context on any device.
CudaVersions cuda_versions();

// Error (program): no driver, one that is too old, no device.
Result<std::vector<DeviceProperties>> query_devices();

// The one that is meant (choose_device), on which what this thread does from now on is done. Errors: of both, and
// (program) the runtime refuses it.
Result<DeviceProperties> use_device(const std::string& wanted);

// "0000:18:00.0"; empty where the runtime does not tell.
std::string pci_bus_id(int device);

// The cases from options.worker_first on, reported to options.worker_report; `library_facts` join the device's. The
// process's exit status: kWantsFreshProcess where the device or its memory did not survive a case.
int measure_cases(const DeviceOptions& options, const std::vector<DeviceCase>& cases, const Facts& library_facts);

// For --steelyard_profile: plain launches of each case, recorded, nothing held, flushed, verified or prepared among
// them; and as many that are not, in turns, so that what recording costs is seen (recording_cost.hpp). A table of both
// goes to stdout. The process's exit status; without CUPTI spans alone are recorded, and stderr says so.
int profile_cases(const DeviceOptions& options, const std::vector<DeviceCase>& cases);

// For --steelyard_list_devices.
int list_devices();

}  // namespace steelyard::cuda
