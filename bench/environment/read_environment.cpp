#include "bench/environment/read_environment.hpp"

#include <gnu/libc-version.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "bench/environment/cgroup_limits.hpp"
#include "bench/environment/gpu_facts.hpp"
#include "bench/environment/machine_facts.hpp"
#include "bench/environment/system_file.hpp"
#include "bench/model/text.hpp"

namespace steelyard::bench {
namespace {

void set_if_known(Environment& environment, std::string_view name, const std::optional<std::string>& value) {
  if (value && !value->empty()) environment.set(name, *value, false);
}

// "6.18.44-cloud-amd64": line "6.18". What is patched within a line is recorded and does not decide.
std::string release_line(std::string_view release) {
  const std::size_t first = release.find('.');
  if (first == std::string_view::npos) return "";
  const std::size_t end = release.find_first_not_of("0123456789", first + 1);
  return std::string(release.substr(0, end));
}

void add_kernel(const std::filesystem::path& root, Environment& environment) {
  const auto release = read_system_file(root / "proc/sys/kernel/osrelease");
  if (release && !release_line(*release).empty()) {
    environment.set("kernel.release_line", release_line(*release), true);
  }
  const auto version = read_system_file(root / "proc/sys/kernel/version");
  if (release) environment.set("kernel.full", version ? *release + " " + *version : *release, false);
  const auto randomization = read_system_file(root / "proc/sys/kernel/randomize_va_space");
  set_if_known(environment, "aslr", randomization);
  const auto pages = read_system_file(root / "sys/kernel/mm/transparent_hugepage/enabled");
  if (pages && chosen_of(*pages) != *pages) environment.set("thp", std::string(chosen_of(*pages)), false);
}

void add_memory(const std::filesystem::path& root, Environment& environment) {
  const auto bytes = memory_info_bytes(root, "MemTotal");
  if (!bytes || *bytes == 0) return;
  // The kernel keeps a part for itself that changes with its version: to the nearest GiB, and at least one.
  constexpr std::int64_t kGibibyte = std::int64_t{1} << 30;
  const std::int64_t gibibytes = std::max<std::int64_t>(1, (*bytes + kGibibyte / 2) / kGibibyte);
  environment.set("memory.bytes", std::to_string(gibibytes * kGibibyte), true);
}

void add_limits(const std::filesystem::path& root, Environment& environment) {
  const CgroupLimits limits = read_cgroup_limits(root);
  if (limits.cores) environment.set("cgroup.cores", decimals_text(*limits.cores, 2), false);
  if (limits.memory_bytes) environment.set("cgroup.memory_bytes", std::to_string(*limits.memory_bytes), false);
  if (const auto throttling = read_cgroup_throttling(root)) {
    environment.set("cgroup.periods", std::to_string(throttling->periods), false);
    environment.set("cgroup.throttled_periods", std::to_string(throttling->throttled), false);
  }
}

// Since boot: the steal time of the machine, in percent of the time that it wanted to run.
void add_steal(const std::filesystem::path& root, Environment& environment) {
  const auto time = read_processor_time(root);
  const auto share = time ? steal_share(ProcessorTime{}, *time) : std::nullopt;
  if (share) environment.set("steal.percent", decimals_text(100 * *share, 2), false);
}

// What a container's files say of it; a container may as well say nothing.
void add_container(const std::filesystem::path& root, Environment& environment) {
  std::error_code failure;
  std::string kind;
  if (std::filesystem::exists(root / ".dockerenv", failure)) kind = "docker";
  if (std::filesystem::exists(root / "run/.containerenv", failure)) kind = "podman";
  const std::string groups = read_system_file(root / "proc/self/cgroup").value_or("");
  for (const char* name : {"kubepods", "docker", "lxc"}) {
    if (kind.empty() && groups.find(name) != std::string::npos) kind = name;
  }
  if (!kind.empty()) environment.set("container", kind, false);
}

void add_system(const std::filesystem::path& root, Environment& environment) {
  set_if_known(environment, "host.name", read_system_file(root / "proc/sys/kernel/hostname"));
  const std::string load = read_system_file(root / "proc/loadavg").value_or("");
  set_if_known(environment, "load", load.substr(0, load.find(' ')));
  const std::string release = read_system_file(root / "etc/os-release").value_or("");
  for (std::string_view line : lines_of(release)) {
    constexpr std::string_view kField = "PRETTY_NAME=";
    if (!line.starts_with(kField)) continue;
    line.remove_prefix(kField.size());
    if (line.size() >= 2 && line.front() == '"' && line.back() == '"') line = line.substr(1, line.size() - 2);
    set_if_known(environment, "os.release", std::string(line));
  }
}

}  // namespace

Environment read_environment(const std::filesystem::path& root) {
  Environment environment;
  add_cpu_facts(root, environment);
  add_cache_facts(root, environment);
  add_power_facts(root, environment);
  add_memory(root, environment);
  add_kernel(root, environment);
  add_kernel_facts(root, environment);
  add_limits(root, environment);
  add_steal(root, environment);
  add_container(root, environment);
  add_system(root, environment);
  add_gpu_facts(root, environment);
  // No file says it; a copied tree of files is not the machine that runs this.
  if (root == "/") environment.set("libc", std::string("glibc ") + ::gnu_get_libc_version(), false);
  return environment;
}

}  // namespace steelyard::bench
