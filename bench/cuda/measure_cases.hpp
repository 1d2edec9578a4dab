// What the process that measures does: makes each workload, has it prove its answer, times it, and reports its row.
#pragma once

#include <vector>

#include "bench/cuda/device_options.hpp"
#include "bench/cuda/device_suite.hpp"
#include "bench/cuda/worker_report.hpp"

namespace steelyard::cuda {

// The cases from options.worker_first on, reported to options.worker_report; `library_facts` join the device's. The
// process's exit status: kWantsFreshProcess where the device or its memory did not survive a case.
int measure_cases(const DeviceOptions& options, const std::vector<DeviceCase>& cases, const Facts& library_facts);

// For --steelyard_list_devices.
int list_devices();

}  // namespace steelyard::cuda
