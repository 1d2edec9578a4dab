// All benchmarks of the program, room by room.
#pragma once

#include "bench/cuda/device_suite.hpp"

namespace steelyard::cuda_suite {

cuda::DeviceSuite make_suite();

}  // namespace steelyard::cuda_suite
