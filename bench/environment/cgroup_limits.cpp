#include "bench/environment/cgroup_limits.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "bench/environment/system_file.hpp"

namespace steelyard {
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

}  // namespace

CgroupLimits read_cgroup_limits(const std::filesystem::path& root) {
  CgroupLimits limits;
  const std::filesystem::path mount = root / "sys/fs/cgroup";
  const std::string groups = read_system_file(root / "proc/self/cgroup").value_or("");
  for (const std::string_view line : lines_of(groups)) {  // "4:memory:/a/b", version 2: "0::/a/b"
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string controllers = "," + std::string(line.substr(first + 1, second - first - 1)) + ",";
    const std::string_view group = line.substr(second + 1);
    if (controllers == ",,") {
      for (const auto& folder : folders_up(mount, group)) {
        lower(limits.cores, parse_cpu_max(read_system_file(folder / "cpu.max")));
        lower(limits.memory_bytes, memory_limit(folder / "memory.max"));
      }
    }
    if (controllers.find(",cpu,") != std::string::npos) {
      for (const auto& folder : folders_up(mount / "cpu", group)) {
        lower(limits.cores, quotient(read_system_number(folder / "cpu.cfs_quota_us"),
                                     read_system_number(folder / "cpu.cfs_period_us")));
      }
    }
    if (controllers.find(",memory,") != std::string::npos) {
      for (const auto& folder : folders_up(mount / "memory", group)) {
        lower(limits.memory_bytes, memory_limit(folder / "memory.limit_in_bytes"));
      }
    }
  }
  return limits;
}

}  // namespace steelyard
