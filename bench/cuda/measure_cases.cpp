#include "bench/cuda/measure_cases.hpp"

#include <cuda_runtime_api.h>
#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <optional>
#include <string_view>

#include "bench/cuda/cuda_handles.hpp"
#include "bench/cuda/device_memory.hpp"
#include "bench/cuda/device_program.hpp"
#include "bench/cuda/device_timer.hpp"
#include "bench/model/text.hpp"

namespace steelyard::cuda {
namespace {

std::string uuid_text(const cudaDeviceProp& properties) {
  const bool is_instance = std::string_view(properties.name).find(" MIG ") != std::string_view::npos;
  std::string text = hex_text({properties.uuid.bytes, sizeof properties.uuid.bytes});
  for (const std::size_t at : {20U, 16U, 12U, 8U}) text.insert(at, 1, '-');
  return (is_instance ? "MIG-" : "GPU-") + text;
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

Result<DeviceProperties> use_device(const std::string& wanted) {
  STEELYARD_TRY(const std::vector<DeviceProperties> devices, query_devices());
  STEELYARD_TRY(DeviceProperties device, choose_device(devices, wanted));
  if (const cudaError_t code = cudaSetDevice(device.index); code != cudaSuccess) {
    return program_error(device.name + ": " + cudaGetErrorString(code), "");
  }
  return device;
}

std::string pci_bus_id(int device) {
  std::array<char, 64> text{};
  if (cudaDeviceGetPCIBusId(text.data(), static_cast<int>(text.size()), device) != cudaSuccess) return {};
  return text.data();
}

namespace {

// Appends; what was written stays whatever becomes of this process.
class ReportFile {
 public:
  explicit ReportFile(const std::string& path) : file_(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC)) {}
  ~ReportFile() {
    if (file_ >= 0) ::close(file_);
  }
  ReportFile(const ReportFile&) = delete;
  ReportFile& operator=(const ReportFile&) = delete;

  bool append(std::string_view lines) const {
    while (!lines.empty()) {
      const ssize_t n = ::write(file_, lines.data(), lines.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      lines.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
  }

 private:
  int file_;
};

// 63 bits, so that it can be given again as a whole number. Not std::random_device: linked in, it asks for a newer C
// library than many machines with devices have.
std::uint64_t drawn_seed() {
  std::uint64_t seed = 0;
  if (::getrandom(&seed, sizeof seed, 0) != static_cast<ssize_t>(sizeof seed)) {
    seed = static_cast<std::uint64_t>(::getpid());
  }
  return seed >> 1U;
}

struct MeasuredCase {
  DeviceRow row;
  bool wants_fresh_process = false;
};

class CaseRunner {
 public:
  CaseRunner(const DeviceOptions& options, const DeviceProperties& device, std::optional<NvmlDevice> nvml)
      : options_(options), properties_(device), nvml_(std::move(nvml)), device_(device) {
    // Where nothing is held the host is in every time, and a floor says nothing of the device.
    if (!options.launch_latency) launch_floor_ = launch_floor(device_);
  }

  MeasuredCase run(const DeviceCase& one) {
    if (std::string reason = one.unmet_need(properties_); !reason.empty()) {
      return {row_without_samples(one.name, RowEnd::skipped, std::move(reason)), false};
    }
    const auto failed = [&](const std::string& why, bool wants_fresh_process) {
      MeasuredCase ended{row_without_samples(one.name, RowEnd::failed, why), wants_fresh_process};
      ended.row.target = one.target;
      return ended;
    };
    try {
      return {measure(one), false};
    } catch (const VerificationError& error) {
      return failed(error.what(), false);
    } catch (const CudaError& error) {
      return failed(error.what(), error.is_sticky || error.code == cudaErrorMemoryAllocation || !device_is_well());
    } catch (const std::bad_alloc&) {
      return failed("the system refused this process memory for the host's side; leave the benchmark out", true);
    } catch (const std::exception& error) {
      return failed(error.what(), !device_is_well());
    }
  }

 private:
  struct VerificationError : std::runtime_error {
    using std::runtime_error::runtime_error;
  };

  // An error of a kernel shows at the next wait, and stays.
  static bool device_is_well() { return cudaDeviceSynchronize() == cudaSuccess; }

  void verify(Workload& workload) const {
    const std::uint64_t seed = options_.seed.value_or(drawn_seed());
    const Result<void> verified = workload.verify(seed);
    check(cudaDeviceSynchronize(), "waiting for the verification");
    if (verified) return;
    throw VerificationError("wrong answer with --steelyard_seed=" + std::to_string(seed) + ": " +
                            verified.error().text());
  }

  DeviceRow measure(const DeviceCase& one) {
    const Bytes before = device_memory_use().allocated;
    restart_memory_peak();
    const std::unique_ptr<Workload> workload = one.make(one.point);
    check(cudaDeviceSynchronize(), "preparing the benchmark");
    std::vector<DeviceState> readings;
    const auto look = [&]() -> std::optional<bool> {
      if (!nvml_) return std::nullopt;
      readings.push_back(nvml_->state());
      return readings.back().protects_itself;
    };
    DeviceTimer timer(*workload, device_, {.launch_latency = options_.launch_latency, .look = look});
    DeviceRow row;
    row.name = one.name;
    row.target = one.target;
    row.cold_start = timer.cold_start();
    const GraphContents contents = contents_of(capture(*workload, device_.stream, 1));
    row.replays = workload->replays();
    // What the verification takes for itself is not the benchmark's.
    const Bytes peak = device_memory_use().peak;
    if (options_.verify) verify(*workload);
    restart_memory_peak();
    timer.choose_launching(contents.launches);
    row.samples = take_samples(timer, options_.limits);
    row.cost = workload->cost();
    row.tokens = workload->tokens();
    row.set_up = timer.set_up();
    row.kernel_launches = contents.launches * row.replays;
    row.kernels = contents.kernels;
    row.device_memory = std::max(peak, device_memory_use().peak) - before;
    row.device_state = state_text(readings);
    row.notes = notes_of(*workload, contents, row.samples);
    for (std::string& note : timer.notes()) row.notes.push_back(std::move(note));
    choose_rate_times({.l2 = properties_.l2, .launch_floor = launch_floor_, .input_sets = workload->input_sets()}, row);
    return row;
  }

  std::vector<std::string> notes_of(const Workload& workload, const GraphContents& contents,
                                    const Samples& samples) const {
    std::vector<std::string> notes;
    if (std::string note = workload.note(); !note.empty()) notes.push_back(std::move(note));
    if (std::string note = library_kernels_note(workload.expected_launches(), contents.launches, contents.kernels);
        !note.empty()) {
      notes.push_back(std::move(note));
    }
    if (options_.launch_latency) notes.emplace_back("launch latency is in the times");
    if (!options_.verify) notes.emplace_back("the answer was not verified");
    if (contents.copies_and_sets > 0) {
      notes.push_back(std::to_string(contents.copies_and_sets * workload.replays()) +
                      " copies or fills of memory beside the kernels");
    }
    if (!samples.is_steady) notes.emplace_back("the clock did not become steady");
    if (samples.kept_low > 0) {
      notes.push_back(std::to_string(samples.kept_low) + " samples ran below 75 % of the default clock without heat");
    }
    if (samples.throttled_for_good) {
      notes.emplace_back("the clock was below 75 % of the default, and samples of it were kept");
    }
    return notes;
  }

  const DeviceOptions& options_;
  const DeviceProperties& properties_;
  std::optional<NvmlDevice> nvml_;
  TimingDevice device_;
  Nanoseconds launch_floor_;  // 0: not known
};

// What the device says of itself through NVML, where there is one.
struct Management {
  std::optional<NvmlDevice> device;
  DeviceSettings settings;
  std::optional<std::string> driver;
};

Management open_management(int device) {
  Management management;
  const Result<Nvml> nvml = Nvml::open();
  if (!nvml) {
    std::fprintf(stderr, "%s\n", nvml.error().text().c_str());
    return management;
  }
  management.driver = nvml->driver_version();
  if (const auto found = nvml->device(pci_bus_id(device))) {
    management.device = *found;
    management.settings = found->settings();
  }
  return management;
}

int run_cases(const DeviceOptions& options, const std::vector<DeviceCase>& cases, const Facts& library_facts,
              const ReportFile& report) {
  const auto refuse = [&](const std::string& why) {
    report.append(fault_line(why));
    return kNoDevice;
  };
  const auto device = use_device(options.device);
  if (!device) return refuse(device.error().text());
  const Management management = open_management(device->index);
  Facts facts = device_facts(*device, cuda_versions(), management.settings, management.driver);
  facts.insert(facts.end(), library_facts.begin(), library_facts.end());
  DeviceOptions timed = options;
  const bool is_set = management.settings.clock_policy && *management.settings.clock_policy != "default";
  timed.limits.clock.default_hz =
      is_set ? management.settings.application_sm_clock_hz.value_or(0) : static_cast<double>(device->max_sm_clock_hz);
  if (!report.append(fact_lines(facts))) return kNotWritten;
  std::optional<CaseRunner> runner;
  try {
    runner.emplace(timed, *device, management.device);
  } catch (const CudaError& error) {
    return refuse(device->name + ": " + error.what());
  }
  for (std::size_t i = options.worker_first; i < cases.size(); ++i) {
    if (!report.append(begin_line(cases[i].name))) return kNotWritten;
    const MeasuredCase measured = runner->run(cases[i]);
    if (!report.append(row_lines(finished(measured.row)))) return kNotWritten;
    // Without the destructors: what they would give back is lost with the context.
    if (measured.wants_fresh_process) ::_exit(kWantsFreshProcess);
  }
  return kDone;
}

}  // namespace

int measure_cases(const DeviceOptions& options, const std::vector<DeviceCase>& cases, const Facts& library_facts) {
  // With it every launch waits for the device, behind the kernel that holds the stream for ever.
  ::unsetenv("CUDA_LAUNCH_BLOCKING");
  const ReportFile report(options.worker_report);
  return run_cases(options, cases, library_facts, report);
}

int list_devices() {
  const auto devices = query_devices();
  if (!devices) {
    std::fprintf(stderr, "%s\n", devices.error().text().c_str());
    return kNoDevice;
  }
  std::fputs(device_list(*devices).c_str(), stdout);
  return kDone;
}

}  // namespace steelyard::cuda
