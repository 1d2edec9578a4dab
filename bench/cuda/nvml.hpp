// NVIDIA's management library, opened at run time: what a device's clocks, power, heat and settings are. Its header may
// be absent, so the few functions that are used are declared here anew; a library that lacks one of them leaves that
// value absent, and no library at all is an error that costs a measurement nothing but these values.
//
//     Result<Nvml> nvml = Nvml::open();
//     if (nvml) {
//       Result<NvmlDevice> device = nvml->device("0000:18:00.0");
//       if (device) print(device->state().temperature_celsius);
//     }
//
// Every number is read anew at each call. Not safe from several threads at once.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/model/result.hpp"

namespace steelyard::cuda {

// What moves while a device works.
struct DeviceState {
  std::optional<double> sm_clock_hz;
  std::optional<double> power_watts;
  std::optional<double> temperature_celsius;
  std::vector<std::string> held_back_by;  // "power cap", "heat", ...; of idleness alone: empty
  // Of these heat or the hardware's own protection; absent where the library does not tell what holds clocks back.
  std::optional<bool> protects_itself;
  bool operator==(const DeviceState&) const = default;
};

// What stays as it is unless an administrator changes it.
struct DeviceSettings {
  std::optional<std::string> uuid;  // of the whole device, also where a part of it is used
  std::optional<bool> ecc;
  std::optional<bool> mig;  // cut into instances
  std::optional<double> power_limit_watts;
  std::optional<double> max_sm_clock_hz;
  std::optional<double> max_memory_clock_hz;
  std::optional<double> application_sm_clock_hz;  // what an administrator set, or the default
  // "default", or what was set: "application clocks sm 1410 MHz, memory 1215 MHz".
  std::optional<std::string> clock_policy;
  bool operator==(const DeviceSettings&) const = default;
};

struct NvmlFunctions;  // nvml.cpp

class NvmlDevice {
 public:
  DeviceState state() const;
  DeviceSettings settings() const;

 private:
  friend class Nvml;
  NvmlDevice(std::shared_ptr<const NvmlFunctions> functions, void* handle)
      : functions_(std::move(functions)), handle_(handle) {}

  std::shared_ptr<const NvmlFunctions> functions_;
  void* handle_;
};

class Nvml {
 public:
  // The first of `names` that can be opened. Error (program): none can, it lacks what nothing works without, or it does
  // not start.
  static Result<Nvml> open(const std::vector<std::string>& names = {"libnvidia-ml.so.1", "libnvidia-ml.so"});

  // "580.65.06"; absent where the library does not tell.
  std::optional<std::string> driver_version() const;
  // By PCI bus id, "00000000:18:00.0" or "0000:18:00.0". Error (program): there is none.
  Result<NvmlDevice> device(const std::string& pci_bus_id) const;

 private:
  explicit Nvml(std::shared_ptr<const NvmlFunctions> functions) : functions_(std::move(functions)) {}

  std::shared_ptr<const NvmlFunctions> functions_;
};

}  // namespace steelyard::cuda
