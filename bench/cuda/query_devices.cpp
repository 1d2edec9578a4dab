#include "bench/cuda/query_devices.hpp"

#include <cuda_runtime_api.h>

#include <array>
#include <string_view>

namespace steelyard::cuda {
namespace {

std::string uuid_text(const cudaDeviceProp& properties) {
  constexpr std::string_view kHex = "0123456789abcdef";
  const bool is_instance = std::string_view(properties.name).find(" MIG ") != std::string_view::npos;
  std::string text = is_instance ? "MIG-" : "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    const auto byte = static_cast<unsigned char>(properties.uuid.bytes[i]);
    text += kHex[byte >> 4U];
    text += kHex[byte & 15U];
  }
  return text;
}

// In kHz as the runtime has it; 0: it does not say.
std::int64_t clock_hz(cudaDeviceAttr attribute, int device) {
  int khz = 0;
  if (cudaDeviceGetAttribute(&khz, attribute, device) != cudaSuccess) return 0;
  return static_cast<std::int64_t>(khz) * 1000;
}

DeviceProperties properties_of(int index, const cudaDeviceProp& found) {
  DeviceProperties device;
  device.index = index;
  device.name = found.name;
  device.uuid = uuid_text(found);
  device.capability_major = found.major;
  device.capability_minor = found.minor;
  device.multiprocessors = found.multiProcessorCount;
  device.memory = Bytes(static_cast<std::int64_t>(found.totalGlobalMem));
  device.l2 = Bytes(found.l2CacheSize);
  device.max_sm_clock_hz = clock_hz(cudaDevAttrClockRate, index);
  device.max_memory_clock_hz = clock_hz(cudaDevAttrMemoryClockRate, index);
  device.ecc = found.ECCEnabled != 0;
  return device;
}

Error runtime_error(cudaError_t code, const char* call) {
  return program_error("device",
                       std::string(call) + " said " + cudaGetErrorName(code) + " (" + cudaGetErrorString(code) + ")",
                       "a CUDA device", "see what nvidia-smi says, and CUDA_VISIBLE_DEVICES");
}

}  // namespace

CudaVersions cuda_versions() {
  CudaVersions versions;
  if (cudaDriverGetVersion(&versions.driver) != cudaSuccess) versions.driver = 0;
  if (cudaRuntimeGetVersion(&versions.runtime) != cudaSuccess) versions.runtime = CUDART_VERSION;
  return versions;
}

Result<std::vector<DeviceProperties>> query_devices() {
  if (const std::string fault = driver_fault(cuda_versions()); !fault.empty()) return program_error(fault, "");
  int count = 0;
  if (const cudaError_t code = cudaGetDeviceCount(&count); code != cudaSuccess) {
    return runtime_error(code, "cudaGetDeviceCount");
  }
  std::vector<DeviceProperties> devices;
  for (int index = 0; index < count; ++index) {
    cudaDeviceProp found{};
    if (const cudaError_t code = cudaGetDeviceProperties(&found, index); code != cudaSuccess) {
      return runtime_error(code, "cudaGetDeviceProperties");
    }
    devices.push_back(properties_of(index, found));
  }
  return devices;
}

std::string pci_bus_id(int device) {
  std::array<char, 64> text{};
  if (cudaDeviceGetPCIBusId(text.data(), static_cast<int>(text.size()), device) != cudaSuccess) return {};
  return text.data();
}

}  // namespace steelyard::cuda
