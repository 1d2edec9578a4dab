#include "bench/cuda/nvml.hpp"

#include <dlfcn.h>

#include <array>
#include <utility>

namespace steelyard::cuda {

// NVIDIA, NVML API Reference Guide: signatures and numbers, which its binary interface keeps.
struct NvmlFunctions {
  using Device = void*;
  using Status = int;
  static constexpr Status kSuccess = 0;

  void* library = nullptr;
  Status (*init)() = nullptr;
  Status (*shutdown)() = nullptr;
  const char* (*error_string)(Status) = nullptr;
  Status (*handle_by_pci)(const char*, Device*) = nullptr;
  Status (*driver_version)(char*, unsigned) = nullptr;
  Status (*uuid)(Device, char*, unsigned) = nullptr;
  Status (*clock)(Device, int, unsigned*) = nullptr;
  Status (*max_clock)(Device, int, unsigned*) = nullptr;
  Status (*application_clock)(Device, int, unsigned*) = nullptr;
  Status (*default_application_clock)(Device, int, unsigned*) = nullptr;
  Status (*power)(Device, unsigned*) = nullptr;
  Status (*power_limit)(Device, unsigned*) = nullptr;
  Status (*temperature)(Device, int, unsigned*) = nullptr;
  Status (*reasons)(Device, unsigned long long*) = nullptr;
  Status (*ecc)(Device, unsigned*, unsigned*) = nullptr;
  Status (*mig)(Device, unsigned*, unsigned*) = nullptr;
  bool started = false;

  NvmlFunctions() = default;
  NvmlFunctions(const NvmlFunctions&) = delete;
  NvmlFunctions& operator=(const NvmlFunctions&) = delete;
  ~NvmlFunctions() {
    if (started) shutdown();
    if (library != nullptr) dlclose(library);
  }

  std::string text_of(Status status) const {
    const char* text = error_string != nullptr ? error_string(status) : nullptr;
    return text != nullptr ? text : "status " + std::to_string(status);
  }
};

namespace {

constexpr int kSmClock = 1;
constexpr int kMemoryClock = 2;
constexpr int kGpuTemperature = 0;

template <class Function>
void load(void* library, Function& function, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    if (function != nullptr) return;
  }
}

void load_all(NvmlFunctions& f) {
  load(f.library, f.init, {"nvmlInit_v2"});
  load(f.library, f.shutdown, {"nvmlShutdown"});
  load(f.library, f.error_string, {"nvmlErrorString"});
  load(f.library, f.handle_by_pci, {"nvmlDeviceGetHandleByPciBusId_v2"});
  load(f.library, f.driver_version, {"nvmlSystemGetDriverVersion"});
  load(f.library, f.uuid, {"nvmlDeviceGetUUID"});
  load(f.library, f.clock, {"nvmlDeviceGetClockInfo"});
  load(f.library, f.max_clock, {"nvmlDeviceGetMaxClockInfo"});
  load(f.library, f.application_clock, {"nvmlDeviceGetApplicationsClock"});
  load(f.library, f.default_application_clock, {"nvmlDeviceGetDefaultApplicationsClock"});
  load(f.library, f.power, {"nvmlDeviceGetPowerUsage"});
  load(f.library, f.power_limit, {"nvmlDeviceGetEnforcedPowerLimit"});
  load(f.library, f.temperature, {"nvmlDeviceGetTemperature"});
  // Renamed in 2023; the old one is still there.
  load(f.library, f.reasons, {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"});
  load(f.library, f.ecc, {"nvmlDeviceGetEccMode"});
  load(f.library, f.mig, {"nvmlDeviceGetMigMode"});
}

const char* first_missing(const NvmlFunctions& f) {
  if (f.init == nullptr) return "nvmlInit_v2";
  if (f.shutdown == nullptr) return "nvmlShutdown";
  if (f.handle_by_pci == nullptr) return "nvmlDeviceGetHandleByPciBusId_v2";
  return nullptr;
}

// The value that a function writes through its last argument; absent where there is no such function or it fails.
template <class Value, class... Parameters, class... Arguments>
std::optional<Value> read(int (*function)(Parameters...), Arguments... arguments) {
  Value value{};
  if (function == nullptr || function(arguments..., &value) != NvmlFunctions::kSuccess) return std::nullopt;
  return value;
}

std::optional<double> scaled(std::optional<unsigned> value, double scale) {
  if (!value) return std::nullopt;
  return scale * static_cast<double>(*value);
}

constexpr double kMegahertz = 1e6;
constexpr double kMilliwatts = 1e-3;

struct Reason {
  unsigned long long bit;
  const char* words;
  bool protects = true;
};
// Idleness (1) and the settings of an administrator (2, 0x10, 0x100) hold nothing back that the row should tell of.
constexpr std::array<Reason, 5> kReasons{Reason{0x04, "power cap", false}, Reason{0x08, "hardware slowdown"},
                                         Reason{0x20, "heat"}, Reason{0x40, "heat (hardware)"},
                                         Reason{0x80, "power brake"}};

std::vector<std::string> words_of(unsigned long long reasons) {
  std::vector<std::string> words;
  for (const Reason& reason : kReasons) {
    if ((reasons & reason.bit) != 0) words.emplace_back(reason.words);
  }
  return words;
}

bool protects(unsigned long long reasons) {
  for (const Reason& reason : kReasons) {
    if (reason.protects && (reasons & reason.bit) != 0) return true;
  }
  return false;
}

std::optional<bool> mode_of(int (*function)(void*, unsigned*, unsigned*), void* device) {
  unsigned current = 0;
  unsigned pending = 0;
  if (function == nullptr || function(device, &current, &pending) != NvmlFunctions::kSuccess) return std::nullopt;
  return current != 0;
}

std::optional<std::string> clock_policy(const NvmlFunctions& f, void* device) {
  const auto sm = read<unsigned>(f.application_clock, device, kSmClock);
  const auto memory = read<unsigned>(f.application_clock, device, kMemoryClock);
  const auto default_sm = read<unsigned>(f.default_application_clock, device, kSmClock);
  const auto default_memory = read<unsigned>(f.default_application_clock, device, kMemoryClock);
  if (!sm || !memory || !default_sm || !default_memory) return std::nullopt;
  if (sm == default_sm && memory == default_memory) return "default";
  return "application clocks sm " + std::to_string(*sm) + " MHz, memory " + std::to_string(*memory) + " MHz";
}

}  // namespace

Result<Nvml> Nvml::open(const std::vector<std::string>& names) {
  auto functions = std::make_shared<NvmlFunctions>();
  std::string refusal = "no name to open";
  for (const std::string& name : names) {
    functions->library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (functions->library != nullptr) break;
    const char* text = dlerror();
    refusal = text != nullptr ? text : name + " cannot be opened";
  }
  if (functions->library == nullptr) {
    return program_error("NVML", refusal, "the driver's management library",
                         "clocks, power and heat are left out; install the driver's libnvidia-ml.so.1");
  }
  load_all(*functions);
  if (const char* missing = first_missing(*functions)) {
    return program_error("NVML", std::string("a library without ") + missing, "one of a driver of 2014 or later");
  }
  if (const int status = functions->init(); status != NvmlFunctions::kSuccess) {
    return program_error("NVML", "nvmlInit_v2 said: " + functions->text_of(status));
  }
  functions->started = true;
  return Nvml(std::move(functions));
}

std::optional<std::string> Nvml::driver_version() const {
  std::array<char, 96> text{};
  if (functions_->driver_version == nullptr ||
      functions_->driver_version(text.data(), static_cast<unsigned>(text.size()) - 1) != NvmlFunctions::kSuccess) {
    return std::nullopt;
  }
  return std::string(text.data());
}

Result<NvmlDevice> Nvml::device(const std::string& pci_bus_id) const {
  void* handle = nullptr;
  const int status = functions_->handle_by_pci(pci_bus_id.c_str(), &handle);
  if (status != NvmlFunctions::kSuccess) {
    return program_error("NVML", "no device at " + pci_bus_id + ": " + functions_->text_of(status));
  }
  return NvmlDevice(functions_, handle);
}

DeviceState NvmlDevice::state() const {
  const NvmlFunctions& f = *functions_;
  DeviceState state;
  state.sm_clock_hz = scaled(read<unsigned>(f.clock, handle_, kSmClock), kMegahertz);
  state.power_watts = scaled(read<unsigned>(f.power, handle_), kMilliwatts);
  state.temperature_celsius = scaled(read<unsigned>(f.temperature, handle_, kGpuTemperature), 1);
  const auto reasons = read<unsigned long long>(f.reasons, handle_);
  state.held_back_by = words_of(reasons.value_or(0));
  if (reasons) state.protects_itself = protects(*reasons);
  return state;
}

DeviceSettings NvmlDevice::settings() const {
  const NvmlFunctions& f = *functions_;
  DeviceSettings settings;
  std::array<char, 128> uuid{};
  if (f.uuid != nullptr &&
      f.uuid(handle_, uuid.data(), static_cast<unsigned>(uuid.size()) - 1) == NvmlFunctions::kSuccess) {
    settings.uuid = uuid.data();
  }
  settings.ecc = mode_of(f.ecc, handle_);
  settings.mig = mode_of(f.mig, handle_);
  settings.power_limit_watts = scaled(read<unsigned>(f.power_limit, handle_), kMilliwatts);
  settings.max_sm_clock_hz = scaled(read<unsigned>(f.max_clock, handle_, kSmClock), kMegahertz);
  settings.max_memory_clock_hz = scaled(read<unsigned>(f.max_clock, handle_, kMemoryClock), kMegahertz);
  settings.application_sm_clock_hz = scaled(read<unsigned>(f.application_clock, handle_, kSmClock), kMegahertz);
  settings.clock_policy = clock_policy(f, handle_);
  return settings;
}

}  // namespace steelyard::cuda
