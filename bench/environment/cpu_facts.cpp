#include "bench/environment/cpu_facts.hpp"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bench/environment/system_file.hpp"

namespace steelyard {
namespace {

using Names = std::set<std::string, std::less<>>;

std::string joined(const Names& names, std::string_view separator) {
  std::string text;
  for (const std::string& name : names) text.append(text.empty() ? "" : separator).append(name);
  return text;
}

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
    if (at != cpuinfo.end()) return joined(at->second, " + ");
  }
  const auto implementer = cpuinfo.find("CPU implementer");
  const auto part = cpuinfo.find("CPU part");
  if (implementer == cpuinfo.end() || part == cpuinfo.end()) return "";
  return "ARM implementer " + joined(implementer->second, "+") + " part " + joined(part->second, "+");
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
  if (!governors.empty()) environment.set("cpu.governor", joined(governors, "+"), true);
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
  if (!features.empty()) environment.set("cpu.features", joined(features, " "), true);
  add_topology(root, values("processor").size(), environment);
  add_frequency(root, environment);
  add_hypervisor(root, features, environment);
  const std::string microcode = joined(values("microcode"), "+");
  if (!microcode.empty()) environment.set("cpu.microcode", microcode, false);
  const std::string mhz = mean_mhz(values("cpu MHz"));
  if (!mhz.empty()) environment.set("cpu.mhz", mhz, false);
}

}  // namespace steelyard
