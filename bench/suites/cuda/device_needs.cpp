#include "bench/suites/cuda/device_needs.hpp"

#include <array>

namespace steelyard::cuda_suite {
namespace {

struct Need {
  std::string_view dtype;
  int capability;
};

// NVIDIA, CUDA C++ Programming Guide, "Compute Capabilities": the arithmetic of tensor cores by dtype.
constexpr std::array<Need, 6> kNeeds{
    Need{"f32", 50}, Need{"f16", 70}, Need{"i8", 75}, Need{"bf16", 80}, Need{"tf32", 80}, Need{"f8", 89},
};

std::string capability_text(int capability) {
  return std::to_string(capability / 10) + "." + std::to_string(capability % 10);
}

}  // namespace

std::string dtype_need_of(const cuda::DeviceProperties& device, std::string_view dtype) {
  for (const Need& need : kNeeds) {
    if (need.dtype != dtype || device.capability() >= need.capability) continue;
    return std::string(dtype) + " needs compute capability " + capability_text(need.capability) + ", this device has " +
           device.capability_text();
  }
  return {};
}

std::string dtype_need(const cuda::DeviceProperties& device, const AxisPoint& at) {
  return dtype_need_of(device, at.text("dtype"));
}

}  // namespace steelyard::cuda_suite
