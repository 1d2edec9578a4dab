// What a dtype asks of a device, for DeviceBenchmark::needs().
#pragma once

#include <string>
#include <string_view>

#include "bench/cuda/device_properties.hpp"
#include "bench/harness/axes.hpp"

namespace steelyard::cuda_suite {

// "f8 needs compute capability 8.9, this device has 8.0"; empty: the device has it. Of the axis "dtype".
std::string dtype_need(const cuda::DeviceProperties& device, const AxisPoint& at);
// Of a dtype's name; one that is not known needs nothing.
std::string dtype_need_of(const cuda::DeviceProperties& device, std::string_view dtype);

}  // namespace steelyard::cuda_suite
