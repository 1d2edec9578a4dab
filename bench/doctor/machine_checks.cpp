// Who else wants this machine: load, quota, hypervisor, memory, GPU.
#include <cmath>
#include <string>

#include "bench/doctor/checks.hpp"

namespace steelyard {
namespace {

// Of the machine's threads. From half of them on a pinned benchmark meets another process more often than not.
constexpr double kSevereLoad = 0.5;
constexpr double kNoticeableLoad = 0.15;
// Steal time, in percent of the busy time: 1 % is the size of the effects that people ask about.
constexpr double kSevereSteal = 1;
constexpr double kNoticeableSteal = 0.1;
// Throttled of all periods that had work to do.
constexpr double kSevereThrottling = 0.01;

}  // namespace

void check_load(const FactReader& facts, Findings& findings) {
  const auto load = facts.number("load");
  const auto threads = facts.number("cpu.threads");
  if (load && threads && *threads > 0 && *load >= kNoticeableLoad * *threads) {
    const bool severe = *load >= kSevereLoad * *threads;
    findings.push_back(
        {"load", severe ? Severity::severe : Severity::warning,
         "the load of the last minute is " + facts.text("load") + " on " + facts.text("cpu.threads") + " threads",
         "other processes take the core away, and the caches and the memory bandwidth with it",
         "ps -eo pcpu,pid,comm --sort=-pcpu | head", true});
  }
  const auto periods = facts.number("cgroup.periods");
  const auto throttled = facts.number("cgroup.throttled_periods");
  if (periods && throttled && *throttled > 0 && *periods > 0) {
    const double share = *throttled / *periods;
    findings.push_back({"throttled", share >= kSevereThrottling ? Severity::severe : Severity::warning,
                        "the control group ran out of its processor time in " + percent(share) + " of its periods",
                        "the process stands still for the rest of each such period, up to 0.1 s at a time",
                        "raise the limit: docker run --cpus=N, or resources.limits.cpu of the pod"});
  }
  const auto quota = facts.number("cgroup.cores");
  if (quota && threads && *quota < *threads) {
    findings.push_back(
        {"quota", *quota < 1 ? Severity::severe : Severity::warning,
         "the control group may use " + facts.text("cgroup.cores") + " of " + facts.text("cpu.threads") + " threads",
         *quota < 1 ? "even one busy thread is stopped in every period"
                    : "work on more threads than that is stopped in every period",
         "give it whole cores in place of a quota: docker run --cpuset-cpus=0,1"});
  }
}

void check_hypervisor(const FactReader& facts, Findings& findings) {
  const auto steal = facts.number("steal.percent");
  if (steal && *steal >= kNoticeableSteal) {
    findings.push_back({"steal", *steal >= kSevereSteal ? Severity::severe : Severity::warning,
                        "since it was started, this machine lost " + facts.text("steal.percent") +
                            " % of its busy time to others on the host",
                        "the clock runs on while the machine stands still",
                        "use a dedicated host, or measure both builds side by side: steelyard ab OLD NEW"});
  }
  const std::string hypervisor = facts.text("hypervisor");
  if (!hypervisor.empty() && hypervisor != "none") {
    // "KVMKVMKVM", or "present (Maker Inc. Virtual Machine)" where only its presence and the machine's name are known.
    constexpr std::string_view kPresent = "present";
    const bool anonymous = hypervisor.starts_with(kPresent);
    const std::string named = anonymous ? hypervisor.substr(kPresent.size()) : " (" + hypervisor + ")";
    findings.push_back(
        {"hypervisor", Severity::warning, "this is a virtual machine" + named,
         "what others do on the host is not visible, moves the clock and shares the caches; measured one "
         "after the other, two equal builds differ by several percent",
         "measure both builds side by side: steelyard ab OLD NEW"});
  }
  if (facts.has("container")) {
    findings.push_back({"container", Severity::note, "this runs in a container (" + facts.text("container") + ")",
                        "the load of the host's other containers and some of its settings are not visible",
                        "run the doctor on the host as well"});
  }
}

void check_memory(const FactReader& facts, Findings& findings) {
  const double used = facts.number("memory.swap_used_bytes").value_or(0);
  if (used > 0) {
    findings.push_back(
        {"swap", Severity::warning, std::to_string(std::llround(used / (1 << 20))) + " MiB of memory are swapped out",
         "a page that has to come back from the disk costs milliseconds", "sudo swapoff -a", true, true});
  } else if (facts.number("memory.swap_bytes").value_or(0) > 0) {
    findings.push_back({"swap", Severity::note, "there is swap space, unused now",
                        "under pressure pages go to the disk; one that comes back costs milliseconds",
                        "sudo swapoff -a", true, true});
  }
  if (facts.text("thp") == "always") {
    findings.push_back({"huge_pages", Severity::note, "transparent huge pages are given to every program",
                        "whether a process gets them depends on how fragmented memory is: it may be faster in one run "
                        "than in the next",
                        "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled", true, true, true});
  }
  if (facts.number("numa.nodes").value_or(1) > 1) {
    const bool balancing = facts.number("numa.balancing").value_or(0) > 0;
    findings.push_back({"memory_nodes", balancing ? Severity::warning : Severity::note,
                        "memory has " + facts.text("numa.nodes") + " nodes" +
                            (balancing ? ", and the kernel moves pages between them" : ""),
                        "memory of another node is a third to twice as slow",
                        "numactl --cpunodebind=0 --membind=0 COMMAND", true});
  }
}

void check_devices(const FactReader& facts, Findings& findings) {
  const std::string device = facts.text("gpu.device");
  if (device.empty()) return;
  const bool nvidia = device.find("NVIDIA") != std::string::npos;
  findings.push_back({"gpu_clock", Severity::note, "there is a GPU: " + device,
                      "its clock moves with heat and power; the files do not show whether it is held",
                      nvidia ? "nvidia-smi --query-supported-clocks=graphics --format=csv && sudo nvidia-smi "
                               "--lock-gpu-clocks=MHZ,MHZ"
                             : "hold its clock with the vendor's tool",
                      nvidia, nvidia});
}

}  // namespace steelyard
