#include "bench/cuda/device_choice.hpp"

#include <algorithm>
#include <cmath>

#include "bench/cuda/device_row.hpp"
#include "bench/model/text.hpp"

namespace steelyard::cuda {
namespace {

bool begins_uuid(const DeviceProperties& device, const std::string& wanted) {
  if (device.uuid.starts_with(wanted)) return true;
  const std::size_t dash = device.uuid.find('-');
  return dash != std::string::npos && device.uuid.substr(dash + 1).starts_with(wanted);
}

bool is_instance(const DeviceProperties& device) { return device.uuid.starts_with("MIG-"); }

}  // namespace

std::string version_text(int version) {
  return std::to_string(version / 1000) + '.' + std::to_string(version % 1000 / 10);
}

std::string driver_fault(const CudaVersions& versions) {
  const std::string wanted = ", this program needs one for CUDA " + std::to_string(versions.runtime / 1000) + ".0";
  if (versions.driver == 0) return "found no NVIDIA driver" + wanted + " or later; install it, or measure elsewhere";
  if (versions.driver / 1000 >= versions.runtime / 1000) return {};
  return "found a driver for CUDA " + version_text(versions.driver) + wanted +
         " or later; update the driver, or build with an older toolkit";
}

std::string device_list(const std::vector<DeviceProperties>& devices) {
  std::string list;
  for (const DeviceProperties& device : devices) {
    list += std::to_string(device.index) + "  " + device.name + "  " + device.uuid + "  " + to_text(device.memory) +
            ", compute capability " + device.capability_text() + '\n';
  }
  return list;
}

Result<DeviceProperties> choose_device(const std::vector<DeviceProperties>& devices, const std::string& wanted) {
  if (devices.empty()) return program_error("device", "none", "a CUDA device");
  std::vector<const DeviceProperties*> fitting;
  for (const DeviceProperties& device : devices) {
    const bool fits = wanted.empty()                            ? device.index == devices.front().index
                      : is_decimal(wanted) && wanted.size() < 4 ? std::to_string(device.index) == wanted
                                                                : begins_uuid(device, wanted);
    if (fits) fitting.push_back(&device);
  }
  if (fitting.size() == 1) return *fitting.front();
  return input_error("--steelyard_device",
                     '"' + wanted + "\", which " + (fitting.empty() ? "no device has" : "several devices have"),
                     "one of:\n" + device_list(devices));
}

Facts device_facts(const DeviceProperties& device, const CudaVersions& versions, const DeviceSettings& settings,
                   const std::optional<std::string>& driver) {
  Facts facts;
  const auto add = [&](const char* key, const std::string& value) { facts.emplace_back(key, value); };
  const auto clock = [&](const char* key, std::optional<double> nvml, std::int64_t runtime) {
    const auto hz = nvml ? std::llround(*nvml) : static_cast<long long>(runtime);
    if (hz > 0) add(key, std::to_string(hz));
  };
  add("gpu.device", device.name);
  add("gpu.uuid", device.uuid);
  add("gpu.mig", is_instance(device) ? device.uuid : "off");
  add("gpu.driver", driver.value_or("for CUDA " + version_text(versions.driver)));
  add("gpu.runtime", version_text(versions.runtime));
  add("gpu.compute_capability", device.capability_text());
  add("gpu.ecc", settings.ecc.value_or(device.ecc) ? "on" : "off");
  if (settings.power_limit_watts) add("gpu.power_limit_watts", json_number(*settings.power_limit_watts));
  add("gpu.memory_bytes", std::to_string(device.memory.count()));
  add("gpu.l2_bytes", std::to_string(device.l2.count()));
  add("gpu.multiprocessors", std::to_string(device.multiprocessors));
  clock("gpu.max_sm_clock_hz", settings.max_sm_clock_hz, device.max_sm_clock_hz);
  clock("gpu.max_memory_clock_hz", settings.max_memory_clock_hz, device.max_memory_clock_hz);
  if (settings.clock_policy) add("gpu.clock_policy", *settings.clock_policy);
  return facts;
}

std::string state_text(const std::vector<DeviceState>& readings) {
  std::optional<double> hottest;
  double watts = 0;
  int with_power = 0;
  std::vector<std::string> reasons;
  for (const DeviceState& reading : readings) {
    if (reading.temperature_celsius) hottest = std::max(hottest.value_or(-273), *reading.temperature_celsius);
    if (reading.power_watts) {
      watts += *reading.power_watts;
      ++with_power;
    }
    for (const std::string& reason : reading.held_back_by) {
      if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end()) reasons.push_back(reason);
    }
  }
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (hottest) add(std::to_string(std::llround(*hottest)) + " C");
  if (with_power > 0) add(std::to_string(std::llround(watts / with_power)) + " W");
  const std::string list = joined_text(reasons, " and ");
  if (!list.empty()) add("clocks held back by " + list);
  return text;
}

}  // namespace steelyard::cuda
