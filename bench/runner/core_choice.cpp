#include "bench/runner/core_choice.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "bench/environment/cgroup_limits.hpp"
#include "bench/environment/system_file.hpp"
#include "bench/model/text.hpp"

namespace steelyard::bench {
namespace {

struct CoreClass {
  std::vector<Core> one_per_physical;
  std::vector<Core> all;
  auto rank() const {
    return std::tuple(one_per_physical.size(), all.size(), all.front().capacity, all.front().max_khz);
  }
};

std::vector<CoreClass> classes_of(const std::vector<Core>& cores) {
  std::map<std::tuple<int, std::int64_t, std::int64_t>, CoreClass> by_kind;
  std::set<std::pair<int, int>> seen;
  for (const Core& core : cores) {
    CoreClass& kind = by_kind[{core.package, core.capacity, core.max_khz}];
    kind.all.push_back(core);
    if (seen.insert({core.package, core.physical}).second) kind.one_per_physical.push_back(core);
  }
  std::vector<CoreClass> classes;
  for (auto& [key, kind] : by_kind) classes.push_back(std::move(kind));
  return classes;
}

std::vector<int> last_two(const std::vector<Core>& cores) {
  return {cores[cores.size() - 2].number, cores[cores.size() - 1].number};
}

}  // namespace

CoreChoice choose_cores(const std::vector<Core>& allowed, const CoreChoiceOptions& options) {
  CoreChoice choice;
  if (allowed.empty()) {
    choice.why_not_two = "the system does not say which cores there are";
    return choice;
  }
  std::vector<CoreClass> classes = classes_of(allowed);
  const CoreClass& best = *std::max_element(classes.begin(), classes.end(),
                                            [](const auto& a, const auto& b) { return a.rank() < b.rank(); });
  choice.cores = {best.one_per_physical.back().number};
  if (allowed.size() < 2) {
    choice.why_not_two = "only one core is usable";
  } else if (options.quota && *options.quota < 2) {
    choice.why_not_two = "the control group allows " + decimals_text(*options.quota, 1) + " cores";
  } else if (best.one_per_physical.size() >= 2) {
    choice.cores = last_two(best.one_per_physical);
    choice.two_equal = true;
  } else if (best.all.size() < 2) {
    choice.why_not_two = "the usable cores are not equal";
  } else if (!options.accept_threads_of_one_core) {
    choice.why_not_two = "the usable cores are threads of one physical core";
  } else {
    choice.cores = last_two(best.all);
    choice.two_equal = true;
    choice.one_physical = true;
  }
  return choice;
}

CoreChoice choose_cores(std::optional<Layout> wanted) {
  CoreChoiceOptions options;
  options.quota = read_cgroup_limits().cores;
  options.accept_threads_of_one_core = wanted == Layout::duet;
  return choose_cores(read_allowed_cores(), options);
}

std::vector<Core> read_allowed_cores(const std::filesystem::path& root) {
  std::vector<Core> cores;
  const std::string status = read_system_file(root / "proc/self/status").value_or("");
  constexpr std::string_view kField = "Cpus_allowed_list:";
  for (const std::string_view line : lines_of(status)) {
    if (!line.starts_with(kField)) continue;
    for (const int number : parse_core_list(trimmed(line.substr(kField.size())))) {
      const std::filesystem::path folder = root / "sys/devices/system/cpu" / ("cpu" + std::to_string(number));
      Core core;
      core.number = number;
      core.package = static_cast<int>(read_system_number(folder / "topology/physical_package_id").value_or(0));
      // Without a topology (absent, or -1 as some hypervisors say) each thread counts as a core of its own.
      const std::int64_t physical = read_system_number(folder / "topology/core_id").value_or(-1);
      core.physical = physical < 0 ? number : static_cast<int>(physical);
      core.capacity = read_system_number(folder / "cpu_capacity").value_or(0);
      core.max_khz = read_system_number(folder / "cpufreq/cpuinfo_max_freq").value_or(0);
      cores.push_back(core);
    }
  }
  return cores;
}

}  // namespace steelyard::bench
