// The devices of this machine, as the CUDA runtime sees them.
#pragma once

#include <string>
#include <vector>

#include "bench/cuda/device_choice.hpp"
#include "bench/cuda/device_properties.hpp"
#include "bench/model/result.hpp"

namespace steelyard::cuda {

// Asks the driver without making a context on any device.
CudaVersions cuda_versions();

// Error (program): no driver, one that is too old, no device.
Result<std::vector<DeviceProperties>> query_devices();

// "0000:18:00.0"; empty where the runtime does not tell.
std::string pci_bus_id(int device);

}  // namespace steelyard::cuda
