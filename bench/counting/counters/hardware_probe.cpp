#include "bench/counting/counters/hardware_probe.hpp"

#include <cerrno>
#include <fstream>
#include <map>
#include <system_error>

namespace steelyard {
namespace {

// Up to this level a program may count itself in user mode (Documentation/admin-guide/sysctl/kernel.rst); Debian knows
// 3, which forbids that too.
constexpr int kMostParanoid = 2;

}  // namespace

int try_event(const HardwareEvent& event) {
  const int descriptor = open_event(event);
  if (descriptor < 0) return errno;
  close(descriptor);
  return 0;
}

HardwareProbe probe_hardware(EventSource source, std::optional<int> paranoid) {
  HardwareProbe probe;
  std::map<std::string, std::string> refused;  // metrics by reason
  for (const HardwareEvent& event : kHardwareEvents) {
    const int error = source(event);
    if (error == 0) {
      probe.available.emplace_back(event.metric);
    } else {
      std::string& metrics = refused[explain_refusal(error, paranoid)];
      metrics += (metrics.empty() ? "" : ", ") + std::string(event.metric);
    }
  }
  for (const auto& [reason, metrics] : refused) probe.refusals.push_back(metrics + ": " + reason);
  return probe;
}

std::optional<int> perf_event_paranoid() {
  std::ifstream file("/proc/sys/kernel/perf_event_paranoid");
  int level = 0;
  if (file >> level) return level;
  return std::nullopt;
}

std::string explain_refusal(int error, std::optional<int> paranoid) {
  switch (error) {
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
      return "the machine shows no such counter; a virtual one has them only where its host passes them on";
    case EACCES:
    case EPERM:
      if (paranoid && *paranoid > kMostParanoid) {
        return "the kernel refuses it, kernel.perf_event_paranoid is " + std::to_string(*paranoid) +
               "; sysctl kernel.perf_event_paranoid=2, or CAP_PERFMON";
      }
      return "the kernel refuses it; a container's seccomp profile may forbid perf_event_open";
    case ENOSYS:
      return "this kernel has no perf events";
    default:
      return "perf_event_open: " + std::generic_category().message(error);
  }
}

}  // namespace steelyard
