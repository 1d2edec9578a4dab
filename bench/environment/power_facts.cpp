#include "bench/environment/power_facts.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "bench/environment/system_file.hpp"

namespace steelyard {
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

}  // namespace steelyard
