#include "bench/environment/gpu_facts.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <vector>

#include "bench/environment/elf_file.hpp"
#include "bench/environment/system_file.hpp"
#include "bench/model/text.hpp"

namespace steelyard::bench {
namespace {

using GpuCounts = std::map<std::string, int>;

constexpr std::size_t kMaxFolderEntries = 256;  // of one folder

std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> entries;
  std::error_code failure;
  for (std::filesystem::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    if (entries.size() < kMaxFolderEntries) entries.push_back(entry->path());
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

std::string counted(const GpuCounts& counts) {
  std::string text;
  for (const auto& [name, count] : counts) {
    text += (text.empty() ? "" : " + ") + (count > 1 ? std::to_string(count) + " x " : "") + name;
  }
  return text;
}

// "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.129.03  Thu Oct 19 ...": the first word that is a version.
std::string nvidia_version(std::string_view text) {
  text = text.substr(0, text.find('\n'));
  while (!(text = trimmed(text)).empty()) {
    const std::string_view word = text.substr(0, text.find_first_of(" \t"));
    const bool digits = word.find_first_not_of("0123456789.") == std::string_view::npos;
    if (digits && word.find('.') != std::string_view::npos) return std::string(word);
    text.remove_prefix(word.size());
  }
  return "";
}

bool add_nvidia(const std::filesystem::path& root, Environment& environment) {
  const std::filesystem::path driver = root / "proc/driver/nvidia";
  GpuCounts models;
  for (const auto& folder : entries_of(driver / "gpus")) {
    const std::string text = read_system_file(folder / "information").value_or("");
    std::string model = "NVIDIA, model not said";
    for (const std::string_view line : lines_of(text)) {  // "Model: \t\t NVIDIA A100-SXM4-40GB"
      if (line.starts_with("Model:")) model = std::string(trimmed(line.substr(6)));
    }
    ++models[model];
  }
  if (models.empty()) return false;
  environment.set("gpu.device", counted(models), true);
  const std::string version = nvidia_version(read_system_file(driver / "version").value_or(""));
  environment.set("gpu.driver", version.empty() ? "nvidia" : "nvidia " + version, true);
  return true;
}

std::string vendor_name(std::string_view number) {
  if (number == "0x10de") return "NVIDIA";
  if (number == "0x1002") return "AMD";
  if (number == "0x8086") return "Intel";
  return "";
}

struct Card {
  std::string device;
  std::string driver;
  std::string ecc;
  std::string watts;
};

Card read_card(const std::filesystem::path& device, const std::filesystem::path& root) {
  Card card;
  const std::string vendor = vendor_name(read_system_file(device / "vendor").value_or(""));
  if (vendor.empty()) return card;
  const std::string product = read_system_file(device / "product_name").value_or("");
  card.device = vendor + " " + (product.empty() ? read_system_file(device / "device").value_or("?") : product);
  const std::string events = read_system_file(device / "uevent").value_or("");
  for (const std::string_view line : lines_of(events)) {
    if (line.starts_with("DRIVER=")) card.driver = std::string(line.substr(7));
  }
  const std::string version =
      card.driver.empty() ? "" : read_system_file(root / "sys/module" / card.driver / "version").value_or("");
  if (!version.empty()) card.driver += " " + version;
  const std::string features = read_system_file(device / "ras/features").value_or("");
  if (!features.empty()) card.ecc = features.find("umc") != std::string::npos ? "on" : "off";
  constexpr std::int64_t kMicrowattsPerWatt = 1'000'000;
  for (const auto& monitor : entries_of(device / "hwmon")) {
    for (const char* name : {"power1_cap", "power1_max"}) {
      const auto microwatts = read_system_number(monitor / name);
      if (microwatts && *microwatts > 0 && card.watts.empty()) {
        card.watts = std::to_string(*microwatts / kMicrowattsPerWatt);
      }
    }
  }
  return card;
}

// "card0", not its connectors ("card0-DP-1").
bool is_card(const std::string& name) {
  return name.size() > 4 && name.starts_with("card") && name.find_first_not_of("0123456789", 4) == std::string::npos;
}

void add_cards(const std::filesystem::path& root, Environment& environment) {
  GpuCounts devices;
  std::set<std::string> drivers;
  std::set<std::string> ecc;
  std::set<std::string> watts;
  for (const auto& entry : entries_of(root / "sys/class/drm")) {
    if (!is_card(entry.filename().string())) continue;
    const Card card = read_card(entry / "device", root);
    if (card.device.empty()) continue;
    ++devices[card.device];
    if (!card.driver.empty()) drivers.insert(card.driver);
    if (!card.ecc.empty()) ecc.insert(card.ecc);
    if (!card.watts.empty()) watts.insert(card.watts);
  }
  if (devices.empty()) return;
  environment.set("gpu.device", counted(devices), true);
  if (!drivers.empty()) environment.set("gpu.driver", joined_text(drivers, "+"), true);
  if (!ecc.empty()) environment.set("gpu.ecc", joined_text(ecc, "+"), true);
  if (!watts.empty()) environment.set("gpu.power_limit_watts", joined_text(watts, "+"), true);
}

constexpr std::array<std::string_view, 8> kDecisive{kGpuDevice,         kGpuUuid,
                                                    "gpu.mig",          "gpu.driver",
                                                    "gpu.ecc",          "gpu.power_limit_watts",
                                                    "gpu.clock_policy", "gpu.max_memory_clock_hz"};

}  // namespace

bool is_decisive_gpu_fact(std::string_view name) {
  return std::find(kDecisive.begin(), kDecisive.end(), name) != kDecisive.end();
}

void take_device_facts(const Environment& told, Environment& environment) {
  if (told.find(kGpuDevice) == nullptr) return;
  std::erase_if(environment.facts, [](const Fact& fact) { return fact.name.starts_with(kGpuFacts); });
  for (const Fact& fact : told.facts) {
    if (fact.name.starts_with(kGpuFacts)) environment.set(fact.name, fact.value, is_decisive_gpu_fact(fact.name));
  }
}

void add_gpu_facts(const std::filesystem::path& root, Environment& environment) {
  // NVIDIA's own folder names the model; its cards under drm (absent in containers) would only say numbers.
  if (!add_nvidia(root, environment)) add_cards(root, environment);
}

namespace {

// Beginnings of file names: runtimes and drivers of NVIDIA, AMD, Intel and Khronos.
constexpr std::array<std::string_view, 10> kDeviceLibraries{
    "libcudart.so",    "libcuda.so",     "libcublas.so", "libcublasLt.so", "libcudnn.so",
    "libnvidia-ml.so", "libamdhip64.so", "libhipblas.",  "libOpenCL.so",   "libze_loader.so"};

bool is_of_a_device(std::string_view library) {
  return std::any_of(kDeviceLibraries.begin(), kDeviceLibraries.end(),
                     [&](std::string_view known) { return library.starts_with(known); });
}

}  // namespace

std::string device_use(std::string_view program_bytes) {
  const Result<ElfFile> file = read_elf(program_bytes);
  if (!file) return "";
  if (file->find(kDeviceSection) != nullptr) return "it is marked as a program of a device";
  for (const std::string_view library : file->needed()) {
    if (is_of_a_device(library)) return "it links " + std::string(library.substr(0, 100));
  }
  return "";
}

std::string device_use_of_file(const std::filesystem::path& executable) {
  const Result<MappedFile> file = MappedFile::open(executable);
  return file ? device_use(file->bytes()) : "";
}

}  // namespace steelyard::bench
