#include "bench/environment/kernel_facts.hpp"

#include <string>
#include <string_view>

#include "bench/environment/memory_info.hpp"
#include "bench/environment/system_file.hpp"

namespace steelyard {
namespace {

void set_if_said(Environment& environment, std::string_view name, const std::filesystem::path& file) {
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
  set_if_said(environment, "memory.swappiness", root / "proc/sys/vm/swappiness");
}

}  // namespace

void add_kernel_facts(const std::filesystem::path& root, Environment& environment) {
  const std::filesystem::path clock = root / "sys/devices/system/clocksource/clocksource0";
  set_if_said(environment, "kernel.clocksource", clock / "current_clocksource");
  set_if_said(environment, "kernel.clocksources", clock / "available_clocksource");
  set_if_said(environment, "kernel.perf_event_paranoid", root / "proc/sys/kernel/perf_event_paranoid");
  const std::filesystem::path cpu = root / "sys/devices/system/cpu";
  set_if_said(environment, "kernel.isolated_cores", cpu / "isolated");
  set_if_said(environment, "kernel.nohz_full", cpu / "nohz_full");
  add_mitigations(root, environment);
  add_swap(root, environment);
  const std::size_t nodes =
      parse_core_list(read_system_file(root / "sys/devices/system/node/online").value_or("")).size();
  if (nodes > 0) environment.set("numa.nodes", std::to_string(nodes), false);
  set_if_said(environment, "numa.balancing", root / "proc/sys/kernel/numa_balancing");
}

}  // namespace steelyard
