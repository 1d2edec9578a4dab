// Whether the driver will do, and which of several devices is meant. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/cuda/device_properties.hpp"
#include "bench/cuda/nvml.hpp"
#include "bench/cuda/supervise.hpp"
#include "bench/model/result.hpp"

namespace steelyard::cuda {

// Versions as CUDA numbers them: 13000 is 13.0. A driver of 0 is none.
struct CudaVersions {
  int driver = 0;
  int runtime = 0;
};
std::string version_text(int version);

// Why this driver cannot run this program; empty: it can. Within a major version an older driver will do.
std::string driver_fault(const CudaVersions& versions);

// `wanted`: a number, or the beginning of a UUID with or without "GPU-" and "MIG-"; empty: the first. Error (input):
// none or several, with a list of what there is.
Result<DeviceProperties> choose_device(const std::vector<DeviceProperties>& devices, const std::string& wanted);

// "0  NVIDIA H200  GPU-...  139.8 GiB, compute capability 9.0", one a line.
std::string device_list(const std::vector<DeviceProperties>& devices);

// The context's facts. What NVML tells goes before what the runtime does; what nobody tells is left out.
Facts device_facts(const DeviceProperties& device, const CudaVersions& versions, const DeviceSettings& settings,
                   const std::optional<std::string>& driver);

// "61 C, 412 W, clocks held back by: power cap" of readings taken while a row was measured: the hottest, the mean
// power, every reason once. Empty without readings.
std::string state_text(const std::vector<DeviceState>& readings);

}  // namespace steelyard::cuda
