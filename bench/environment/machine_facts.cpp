#include "bench/environment/machine_facts.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "bench/environment/system_file.hpp"
#include "bench/model/text.hpp"

namespace steelyard::bench {
namespace {

using Names = std::set<std::string, std::less<>>;

Names words_of(std::string_view text) {
  Names words;
  while (!(text = trimmed(text)).empty()) {
    const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
    words.emplace(text.substr(0, end));
    text.remove_prefix(end);
  }
  return words;
}

// /proc/cpuinfo: every value that a field has on any processor. Cores of one machine may differ in model (big and
// little ones), and their features in clock speed only, so values are sets.
std::map<std::string, Names, std::less<>> read_cpuinfo(const std::filesystem::path& root) {
  std::map<std::string, Names, std::less<>> fields;
  const std::string text = read_system_file(root / "proc/cpuinfo").value_or("");
  for (const std::string_view line : lines_of(text)) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    fields[std::string(trimmed(line.substr(0, colon)))].emplace(trimmed(line.substr(colon + 1)));
  }
  return fields;
}

// x86 names the model; ARM numbers it by who made it and which part it is.
std::string model_of(const std::map<std::string, Names, std::less<>>& cpuinfo) {
  for (const std::string_view field : {"model name", "cpu model", "cpu", "uarch"}) {
    const auto at = cpuinfo.find(field);
    if (at != cpuinfo.end()) return joined_text(at->second, " + ");
  }
  const auto implementer = cpuinfo.find("CPU implementer");
  const auto part = cpuinfo.find("CPU part");
  if (implementer == cpuinfo.end() || part == cpuinfo.end()) return "";
  return "ARM implementer " + joined_text(implementer->second, "+") + " part " + joined_text(part->second, "+");
}

Names features_of(const std::map<std::string, Names, std::less<>>& cpuinfo) {
  Names features;
  for (const std::string_view field : {"flags", "Features", "isa"}) {
    const auto at = cpuinfo.find(field);
    if (at == cpuinfo.end()) continue;
    for (const std::string& list : at->second) features.merge(words_of(list));
  }
  return features;
}

void add_topology(const std::filesystem::path& root, std::size_t processors_in_cpuinfo, Environment& environment) {
  const std::filesystem::path folder = root / "sys/devices/system/cpu";
  const std::vector<int> online = parse_core_list(read_system_file(folder / "online").value_or(""));
  const std::size_t threads = online.empty() ? processors_in_cpuinfo : online.size();
  if (threads == 0) return;
  environment.set("cpu.threads", std::to_string(threads), true);
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> threads_of_core;
  std::set<std::int64_t> packages;
  for (const int number : online) {
    const std::filesystem::path topology = folder / ("cpu" + std::to_string(number)) / "topology";
    const auto package = read_system_number(topology / "physical_package_id");
    const auto core = read_system_number(topology / "core_id");
    if (!package || !core) return;
    // Some hypervisors say -1: then each thread counts as a core of its own.
    ++threads_of_core[{*package, *core < 0 ? -1 - number : *core}];
    packages.insert(*package);
  }
  if (threads_of_core.empty()) return;
  std::size_t most = 0;
  for (const auto& [core, count] : threads_of_core) most = std::max(most, count);
  environment.set("cpu.cores", std::to_string(threads_of_core.size()), true);
  environment.set("cpu.threads_per_core", std::to_string(most), true);
  environment.set("cpu.packages", std::to_string(packages.size()), true);
}

void add_frequency(const std::filesystem::path& root, Environment& environment) {
  const std::filesystem::path folder = root / "sys/devices/system/cpu";
  Names governors;
  for (const int number : parse_core_list(read_system_file(folder / "online").value_or(""))) {
    const auto governor = read_system_file(folder / ("cpu" + std::to_string(number)) / "cpufreq/scaling_governor");
    if (governor && !governor->empty()) governors.insert(*governor);
  }
  if (!governors.empty()) environment.set("cpu.governor", joined_text(governors, "+"), true);
  const auto no_turbo = read_system_number(folder / "intel_pstate/no_turbo");
  const auto boost = read_system_number(folder / "cpufreq/boost");
  if (no_turbo) {
    environment.set("cpu.turbo", *no_turbo == 0 ? "on" : "off", true);
  } else if (boost) {
    environment.set("cpu.turbo", *boost != 0 ? "on" : "off", true);
  }
}

// Whole MHz: the mean of the different values that /proc/cpuinfo shows now.
std::string mean_mhz(const Names& values) {
  double sum = 0;
  std::size_t count = 0;
  for (const std::string& value : values) {
    double mhz = 0;
    if (std::from_chars(value.data(), value.data() + value.size(), mhz).ec != std::errc()) continue;
    sum += mhz;
    ++count;
  }
  return count == 0 ? "" : std::to_string(static_cast<std::int64_t>(sum / static_cast<double>(count) + 0.5));
}

// What the processor itself says (CPUID leaf 0x40000000), as /proc and /sys do not name it; empty where it does not.
std::string hypervisor_by_cpuid() {
#if defined(__x86_64__) || defined(__i386__)
  constexpr unsigned kHypervisorLeaf = 0x40000000;
  std::array<unsigned, 4> registers{};
  __cpuid(kHypervisorLeaf, registers[0], registers[1], registers[2], registers[3]);
  std::array<char, 12> signature{};
  std::memcpy(signature.data(), &registers[1], signature.size());
  std::string text;
  for (const char c : signature) {
    if (c > ' ' && c <= '~') text += c;
  }
  return text;  // "KVMKVMKVM", "MicrosoftHv", "VMwareVMware"
#else
  return "";
#endif
}

void add_hypervisor(const std::filesystem::path& root, const Names& features, Environment& environment) {
  const std::string xen = read_system_file(root / "sys/hypervisor/type").value_or("");
  const std::string vendor = read_system_file(root / "sys/class/dmi/id/sys_vendor").value_or("");
  const std::string product = read_system_file(root / "sys/class/dmi/id/product_name").value_or("");
  const std::string machine = std::string(trimmed(vendor + " " + product));
  if (!machine.empty()) environment.set("machine", machine, false);
  if (features.empty() && xen.empty()) return;
  const bool virtual_machine = features.contains("hypervisor") || !xen.empty();
  // Under a hypervisor the product is the class of the virtual machine ("Amazon EC2 m5.large"), and decides.
  std::string value = virtual_machine ? "present" : "none";
  if (virtual_machine && !xen.empty()) {
    value = xen;
  } else if (features.contains("hypervisor") && root == "/") {
    if (const std::string named = hypervisor_by_cpuid(); !named.empty()) value = named;
  }
  if (virtual_machine && !machine.empty()) value += " (" + machine + ")";
  environment.set("hypervisor", value, true);
}

}  // namespace

void add_cpu_facts(const std::filesystem::path& root, Environment& environment) {
  const auto cpuinfo = read_cpuinfo(root);
  const auto values = [&](std::string_view field) {
    const auto at = cpuinfo.find(field);
    return at == cpuinfo.end() ? Names() : at->second;
  };
  const std::string model = model_of(cpuinfo);
  if (!model.empty()) environment.set("cpu.model", model, true);
  const Names features = features_of(cpuinfo);
  if (!features.empty()) environment.set("cpu.features", joined_text(features, " "), true);
  add_topology(root, values("processor").size(), environment);
  add_frequency(root, environment);
  add_hypervisor(root, features, environment);
  const std::string microcode = joined_text(values("microcode"), "+");
  if (!microcode.empty()) environment.set("cpu.microcode", microcode, false);
  const std::string mhz = mean_mhz(values("cpu MHz"));
  if (!mhz.empty()) environment.set("cpu.mhz", mhz, false);
}

namespace {

// "32K", "16M", "512": bytes.
std::optional<std::int64_t> cache_bytes_of(std::string_view text) {
  std::int64_t unit = 1;
  if (text.ends_with('K')) unit = std::int64_t{1} << 10;
  if (text.ends_with('M')) unit = std::int64_t{1} << 20;
  if (unit != 1) text.remove_suffix(1);
  const auto number = parse_number(text);
  if (!number || *number <= 0 || *number > (std::int64_t{1} << 32)) return std::nullopt;
  return *number * unit;
}

}  // namespace

void add_cache_facts(const std::filesystem::path& root, Environment& environment) {
  constexpr int kMaxCaches = 10;  // index0 to index9; machines have four or five
  const std::filesystem::path folder = root / "sys/devices/system/cpu";
  std::map<std::string, std::set<std::int64_t>> sizes;
  std::int64_t last_level = 0;
  std::size_t last_level_threads = 0;
  for (const int core : parse_core_list(read_system_file(folder / "online").value_or(""))) {
    for (int index = 0; index < kMaxCaches; ++index) {
      const std::filesystem::path cache =
          folder / ("cpu" + std::to_string(core)) / "cache" / ("index" + std::to_string(index));
      const auto level = read_system_number(cache / "level");
      if (!level) break;
      const std::string type = read_system_file(cache / "type").value_or("");
      const auto size = cache_bytes_of(read_system_file(cache / "size").value_or(""));
      if (!size || *level < 1 || *level > 9) continue;
      const std::string suffix = type == "Data" ? "d" : type == "Instruction" ? "i" : "";
      sizes["cpu.cache.l" + std::to_string(*level) + (*level == 1 ? suffix : "")].insert(*size);
      if (*level < last_level || type == "Instruction") continue;
      if (*level > last_level) last_level_threads = 0;
      last_level = *level;
      const auto sharing = parse_core_list(read_system_file(cache / "shared_cpu_list").value_or(""));
      last_level_threads = std::max(last_level_threads, sharing.size());
    }
  }
  for (const auto& [name, values] : sizes) {
    environment.set(name, joined_text(values, "+", [](std::int64_t value) { return std::to_string(value); }), false);
  }
  if (last_level_threads > 0) {
    environment.set("cpu.cache.last_level_threads", std::to_string(last_level_threads), false);
  }
}

namespace {

constexpr std::int64_t kKilohertzPerMegahertz = 1000;

void add_frequency_range(const std::filesystem::path& cpu, const std::vector<int>& online, Environment& environment) {
  std::set<std::string> drivers;
  std::int64_t most = 0;
  std::int64_t least = 0;
  std::int64_t now = 0;
  std::int64_t cores = 0;
  for (const int core : online) {
    const std::filesystem::path folder = cpu / ("cpu" + std::to_string(core)) / "cpufreq";
    const std::string driver = read_system_file(folder / "scaling_driver").value_or("");
    if (!driver.empty()) drivers.insert(driver);
    most = std::max(most, read_system_number(folder / "cpuinfo_max_freq").value_or(0));
    least = std::max(least, read_system_number(folder / "cpuinfo_min_freq").value_or(0));
    const std::int64_t khz = read_system_number(folder / "scaling_cur_freq").value_or(0);
    if (khz <= 0 || khz > (std::int64_t{1} << 40)) continue;
    now += khz;
    ++cores;
  }
  if (!online.empty()) {
    const std::filesystem::path first = cpu / ("cpu" + std::to_string(online.front())) / "cpufreq";
    const std::string governors = read_system_file(first / "scaling_available_governors").value_or("");
    if (!governors.empty()) environment.set("cpu.governors", governors, false);
  }
  if (!drivers.empty()) environment.set("cpu.frequency_driver", *drivers.begin(), false);
  if (most > 0) environment.set("cpu.mhz.max", std::to_string(most / kKilohertzPerMegahertz), false);
  if (least > 0) environment.set("cpu.mhz.min", std::to_string(least / kKilohertzPerMegahertz), false);
  if (cores > 0 && environment.find("cpu.mhz") == nullptr) {
    environment.set("cpu.mhz", std::to_string(now / cores / kKilohertzPerMegahertz), false);
  }
}

void add_heat_and_kinds(const std::filesystem::path& cpu, const std::vector<int>& online, Environment& environment) {
  std::set<std::int64_t> capacities;
  std::optional<std::int64_t> throttles;
  for (const int core : online) {
    const std::filesystem::path folder = cpu / ("cpu" + std::to_string(core));
    if (const auto capacity = read_system_number(folder / "cpu_capacity")) capacities.insert(*capacity);
    const auto count = read_system_number(folder / "thermal_throttle/core_throttle_count");
    if (count && *count >= 0 && *count < (std::int64_t{1} << 40)) throttles = throttles.value_or(0) + *count;
  }
  if (throttles) environment.set("cpu.thermal_throttles", std::to_string(*throttles), false);
  if (capacities.size() > 1) environment.set("cpu.capacities", std::to_string(capacities.size()), false);
}

// A battery that discharges says that the machine runs on it. One that does not know, as some firmware has it, leaves
// it to the mains: none of them on. (One of two plugs may well be out, and USB charges too: then the battery charges.)
void add_source(const std::filesystem::path& root, Environment& environment) {
  std::error_code failure;
  bool mains = false;
  bool plugged_in = false;
  bool discharging = false;
  bool doubtful = false;
  bool batteries = false;
  const std::filesystem::path folder = root / "sys/class/power_supply";
  for (std::filesystem::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    const std::string type = read_system_file(entry->path() / "type").value_or("");
    if (read_system_file(entry->path() / "scope").value_or("") == "Device") continue;  // of a mouse
    if (type == "Mains") {
      mains = true;
      plugged_in = plugged_in || read_system_number(entry->path() / "online").value_or(1) != 0;
    } else if (type == "Battery") {
      batteries = true;
      const std::string status = read_system_file(entry->path() / "status").value_or("Unknown");
      discharging = discharging || status == "Discharging";
      doubtful = doubtful || status == "Unknown";
    }
  }
  if (!mains && !batteries) return;
  const bool on_battery = discharging || (doubtful && mains && !plugged_in);
  environment.set("power.source", on_battery ? "battery" : "mains", false);
}

}  // namespace

void add_power_facts(const std::filesystem::path& root, Environment& environment) {
  const std::filesystem::path cpu = root / "sys/devices/system/cpu";
  const std::vector<int> online = parse_core_list(read_system_file(cpu / "online").value_or(""));
  add_frequency_range(cpu, online, environment);
  add_heat_and_kinds(cpu, online, environment);
  const std::string smt = read_system_file(cpu / "smt/control").value_or("");
  if (!smt.empty()) environment.set("cpu.smt", smt, false);
  add_source(root, environment);
}

namespace {

void set_from_file(Environment& environment, std::string_view name, const std::filesystem::path& file) {
  const auto value = read_system_file(file);
  if (value && !value->empty() && *value != "(null)") environment.set(name, *value, false);
}

// Only the one option: the rest of the line is nobody's business, and may carry secrets.
void add_mitigations(const std::filesystem::path& root, Environment& environment) {
  const auto line = read_system_file(root / "proc/cmdline");
  if (line) {
    std::string value = "default";
    std::string_view rest = *line;
    while (!(rest = trimmed(rest)).empty()) {
      const std::string_view word = rest.substr(0, rest.find_first_of(" \t\n"));
      constexpr std::string_view kOption = "mitigations=";
      if (word.starts_with(kOption)) value = std::string(word.substr(kOption.size()));
      rest.remove_prefix(word.size());
    }
    environment.set("kernel.mitigations", value, false);
  }
  std::error_code failure;
  std::size_t known = 0;
  std::size_t open = 0;
  const std::filesystem::path folder = root / "sys/devices/system/cpu/vulnerabilities";
  for (std::filesystem::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    ++known;
    if (read_system_file(entry->path()).value_or("").starts_with("Vulnerable")) ++open;
  }
  if (known > 0) environment.set("kernel.vulnerabilities", std::to_string(open), false);
}

void add_swap(const std::filesystem::path& root, Environment& environment) {
  const auto total = memory_info_bytes(root, "SwapTotal");
  const auto free = memory_info_bytes(root, "SwapFree");
  if (total) environment.set("memory.swap_bytes", std::to_string(*total), false);
  if (total && free && *free <= *total) {
    environment.set("memory.swap_used_bytes", std::to_string(*total - *free), false);
  }
  set_from_file(environment, "memory.swappiness", root / "proc/sys/vm/swappiness");
}

}  // namespace

void add_kernel_facts(const std::filesystem::path& root, Environment& environment) {
  const std::filesystem::path clock = root / "sys/devices/system/clocksource/clocksource0";
  set_from_file(environment, "kernel.clocksource", clock / "current_clocksource");
  set_from_file(environment, "kernel.clocksources", clock / "available_clocksource");
  set_from_file(environment, "kernel.perf_event_paranoid", root / "proc/sys/kernel/perf_event_paranoid");
  const std::filesystem::path cpu = root / "sys/devices/system/cpu";
  set_from_file(environment, "kernel.isolated_cores", cpu / "isolated");
  set_from_file(environment, "kernel.nohz_full", cpu / "nohz_full");
  add_mitigations(root, environment);
  add_swap(root, environment);
  const std::size_t nodes =
      parse_core_list(read_system_file(root / "sys/devices/system/node/online").value_or("")).size();
  if (nodes > 0) environment.set("numa.nodes", std::to_string(nodes), false);
  set_from_file(environment, "numa.balancing", root / "proc/sys/kernel/numa_balancing");
}

}  // namespace steelyard::bench
