// What this device can do, measured by the same program as the kernels that are held against it: memory passes, and
// large products in each dtype.
#pragma once

#include "bench/cuda/device_suite.hpp"

namespace steelyard::cuda_suite {

void add_ceilings(cuda::DeviceSuite& suite);

}  // namespace steelyard::cuda_suite
