#include "bench/profile/spans/cupti/cupti_library.hpp"

#include <dlfcn.h>

#include <array>
#include <cstdlib>

#include "bench/model/text.hpp"

namespace steelyard {
namespace {

constexpr const char* kWhat = "device activity";

// The numbers are those of cupti_version.h. Within these, records only grew at their ends: of kernels they are
// CUpti_ActivityKernel7 (CUDA 11.6), 8 (11.8), 9 (12.0), 10 (13.0) and 11 (13.2). Before them there is no stamp of
// one's own.
constexpr std::array<CuptiVersions, 2> kVersions{{
    {17, 28, "CUDA 11.6 to 12.9"},
    {130'000, 139'999, "CUDA 13"},
}};

template <class Function>
bool load(void* library, Function& function, const char* name) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

// The first that is needed and missing; nullptr: none.
const char* load_all(CuptiLibrary& cupti) {
  void* const library = cupti.handle;
  load(library, cupti.enable_and_dump, "cuptiActivityEnableAndDump");
  load(library, cupti.dropped_records, "cuptiActivityGetNumDroppedRecords");
  load(library, cupti.flush_period, "cuptiActivityFlushPeriod");
  load(library, cupti.thread_id_type, "cuptiSetThreadIdType");
  load(library, cupti.set_attribute, "cuptiActivitySetAttribute");
  load(library, cupti.hardware_trace, "cuptiActivityEnableHWTrace");
  load(library, cupti.latency_stamps, "cuptiActivityEnableLatencyTimestamps");
  load(library, cupti.callback_name, "cuptiGetCallbackName");
  load(library, cupti.enable_callback, "cuptiEnableCallback");
  load(library, cupti.graph_id, "cuptiGetGraphExecId");
  load(library, cupti.status_text, "cuptiGetResultString");
  if (!load(library, cupti.subscribe, "cuptiSubscribe")) return "cuptiSubscribe";
  if (!load(library, cupti.unsubscribe, "cuptiUnsubscribe")) return "cuptiUnsubscribe";
  if (!load(library, cupti.register_callbacks, "cuptiActivityRegisterCallbacks")) {
    return "cuptiActivityRegisterCallbacks";
  }
  if (!load(library, cupti.enable, "cuptiActivityEnable")) return "cuptiActivityEnable";
  if (!load(library, cupti.disable, "cuptiActivityDisable")) return "cuptiActivityDisable";
  if (!load(library, cupti.next_record, "cuptiActivityGetNextRecord")) return "cuptiActivityGetNextRecord";
  if (!load(library, cupti.flush_all, "cuptiActivityFlushAll")) return "cuptiActivityFlushAll";
  if (!load(library, cupti.register_stamp, "cuptiActivityRegisterTimestampCallback")) {
    return "cuptiActivityRegisterTimestampCallback";
  }
  return nullptr;
}

std::string known_versions() {
  return joined_text(kVersions, ", ", [](const CuptiVersions& versions) { return versions.toolkits; });
}

}  // namespace

const CuptiVersions* find_cupti_versions(std::uint32_t version) {
  for (const CuptiVersions& versions : kVersions) {
    if (versions.first <= version && version <= versions.last) return &versions;
  }
  return nullptr;
}

std::string cupti_version_text(std::uint32_t version) {
  if (version < 1000) return "API version " + std::to_string(version);
  return "CUDA " + std::to_string(version / 10'000) + '.' + std::to_string(version / 100 % 100) + '.' +
         std::to_string(version % 100);
}

std::string CuptiLibrary::text_of(CuptiStatus status) const {
  const char* text = nullptr;
  const bool is_told = status_text != nullptr && status_text(status, &text) == 0 && text != nullptr;
  return (is_told ? std::string(text) : "status") + " (" + std::to_string(status) + ")";
}

std::vector<std::string> default_cupti_names() {
  std::vector<std::string> names;
  if (const char* named = std::getenv("STEELYARD_CUPTI"); named != nullptr && *named != '\0') names.emplace_back(named);
  for (const char* folder : {"", "/usr/local/cuda/lib64/", "/usr/local/cuda/extras/CUPTI/lib64/"}) {
    for (const char* name : {"libcupti.so.13", "libcupti.so.12", "libcupti.so"}) {
      names.push_back(std::string(folder) + name);
    }
  }
  return names;
}

bool has_cuda_driver() {
  void* const driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (driver == nullptr) return false;
  dlclose(driver);
  return true;
}

Error no_cuda_driver(const std::string& said) {
  return program_error(kWhat, "no NVIDIA driver: libcuda.so.1 cannot be opened, and CUPTI says " + said,
                       "a machine with a CUDA device", "see what nvidia-smi says");
}

Result<CuptiLibrary> open_cupti(const std::vector<std::string>& names) {
  CuptiLibrary cupti;
  // What the process has already, PyTorch's for one, before another copy.
  for (const int flags : {RTLD_NOW | RTLD_NOLOAD, RTLD_NOW | RTLD_LOCAL}) {
    for (const std::string& name : names) {
      if (cupti.handle == nullptr && (cupti.handle = dlopen(name.c_str(), flags)) != nullptr) cupti.path = name;
    }
  }
  if (cupti.handle == nullptr) {
    const std::string tried = joined_text(names, ", ");
    return program_error(kWhat, "no CUPTI: none of " + tried + " can be opened", "libcupti.so of the CUDA Toolkit",
                         "set STEELYARD_CUPTI to its path");
  }
  CuptiStatus (*version)(std::uint32_t*) = nullptr;
  const char* const missing = load(cupti.handle, version, "cuptiGetVersion") ? load_all(cupti) : "cuptiGetVersion";
  if (missing != nullptr) {
    return program_error(kWhat, cupti.path + " without " + missing, "CUPTI of " + known_versions());
  }
  const CuptiStatus status = version(&cupti.version);
  cupti.versions = find_cupti_versions(cupti.version);
  if (status == cupti_status::kSuccess && cupti.versions != nullptr) return cupti;
  // Without a driver some tell no version at all.
  if ((status != cupti_status::kSuccess || cupti.version == 0) && !has_cuda_driver()) {
    return no_cuda_driver("no version of its own");
  }
  return program_error(kWhat, cupti.path + " of " + cupti_version_text(cupti.version),
                       "CUPTI of " + known_versions() + ", whose records are known",
                       "record with one of these, or with a later Steelyard");
}

}  // namespace steelyard
