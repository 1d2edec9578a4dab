#include "bench/environment/cgroup_limits.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "bench/environment/system_file.hpp"
#include "bench/model/text.hpp"

namespace steelyard::bench {
namespace {

// Version 1 writes "no limit" of memory as the largest multiple of the page size below 2^63.
constexpr std::int64_t kUnlimitedMemory = std::int64_t{1} << 62;

template <class Number>
void lower(std::optional<Number>& limit, std::optional<Number> found) {
  if (found && (!limit || *found < *limit)) limit = found;
}

std::optional<double> quotient(std::optional<std::int64_t> quota, std::optional<std::int64_t> period) {
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

// "150000 100000", or "max 100000".
std::optional<double> parse_cpu_max(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  const std::string_view view = *text;
  const std::size_t blank = view.find(' ');
  if (blank == std::string_view::npos) return std::nullopt;
  return quotient(parse_number(view.substr(0, blank)), parse_number(view.substr(blank + 1)));
}

std::optional<std::int64_t> memory_limit(const std::filesystem::path& file) {
  const std::optional<std::int64_t> bytes = read_system_number(file);  // "max" is no number
  return bytes && *bytes < kUnlimitedMemory ? bytes : std::nullopt;
}

// The group's folder and all above it up to the mount. In a container the path may name folders that only the host has;
// then the mount itself is the container's group.
std::vector<std::filesystem::path> folders_up(const std::filesystem::path& mount, std::string_view group) {
  std::vector<std::filesystem::path> folders{mount};
  std::filesystem::path current = mount;
  for (const auto& part : std::filesystem::path(group).relative_path()) {
    if (part == "..") break;
    current /= part;
    folders.push_back(current);
  }
  return folders;
}

// One line of /proc/self/cgroup: "4:memory:/a/b", version 2: "0::/a/b".
struct Membership {
  std::string controllers;  // ",cpu,cpuacct,"; ",,": version 2
  std::string group;

  bool is_unified() const { return controllers == ",,"; }
  bool controls(std::string_view name) const {
    return controllers.find("," + std::string(name) + ",") != std::string::npos;
  }
};

std::vector<Membership> read_memberships(const std::filesystem::path& root) {
  std::vector<Membership> memberships;
  const std::string groups = read_system_file(root / "proc/self/cgroup").value_or("");
  for (const std::string_view line : lines_of(groups)) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    memberships.push_back(
        {"," + std::string(line.substr(first + 1, second - first - 1)) + ",", std::string(line.substr(second + 1))});
  }
  return memberships;
}

// "nr_periods 120\nnr_throttled 7\n..."
std::optional<CgroupThrottling> parse_statistics(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  std::optional<std::int64_t> periods;
  std::optional<std::int64_t> throttled;
  for (const std::string_view line : lines_of(*text)) {
    if (line.starts_with("nr_periods ")) periods = parse_number(trimmed(line.substr(11)));
    if (line.starts_with("nr_throttled ")) throttled = parse_number(trimmed(line.substr(13)));
  }
  if (!periods || !throttled || *periods <= 0 || *throttled < 0 || *throttled > *periods) return std::nullopt;
  return CgroupThrottling{*periods, *throttled};
}

}  // namespace

CgroupLimits read_cgroup_limits(const std::filesystem::path& root) {
  CgroupLimits limits;
  const std::filesystem::path mount = root / "sys/fs/cgroup";
  for (const Membership& membership : read_memberships(root)) {
    if (membership.is_unified()) {
      for (const auto& folder : folders_up(mount, membership.group)) {
        lower(limits.cores, parse_cpu_max(read_system_file(folder / "cpu.max")));
        lower(limits.memory_bytes, memory_limit(folder / "memory.max"));
      }
    }
    if (membership.controls("cpu")) {
      for (const auto& folder : folders_up(mount / "cpu", membership.group)) {
        lower(limits.cores, quotient(read_system_number(folder / "cpu.cfs_quota_us"),
                                     read_system_number(folder / "cpu.cfs_period_us")));
      }
    }
    if (membership.controls("memory")) {
      for (const auto& folder : folders_up(mount / "memory", membership.group)) {
        lower(limits.memory_bytes, memory_limit(folder / "memory.limit_in_bytes"));
      }
    }
  }
  return limits;
}

std::optional<CgroupThrottling> read_cgroup_throttling(const std::filesystem::path& root) {
  std::optional<CgroupThrottling> worst;
  const std::filesystem::path mount = root / "sys/fs/cgroup";
  for (const Membership& membership : read_memberships(root)) {
    if (!membership.is_unified() && !membership.controls("cpu")) continue;
    const auto folders = folders_up(membership.is_unified() ? mount : mount / "cpu", membership.group);
    for (const auto& folder : folders) {
      const auto found = parse_statistics(read_system_file(folder / "cpu.stat"));
      if (found && (!worst || found->throttled > worst->throttled)) worst = found;
    }
  }
  return worst;
}

}  // namespace steelyard::bench
