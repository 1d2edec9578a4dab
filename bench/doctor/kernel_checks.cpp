// What the kernel was set to, and what this machine does not show.
#include <array>
#include <string>

#include "bench/doctor/checks.hpp"

namespace steelyard {
namespace {

void check_clock_source(const FactReader& facts, Findings& findings) {
  const std::string source = facts.text("kernel.clocksource");
  // These are read through the bus, in about a microsecond, by a system call.
  const bool slow = source == "hpet" || source == "acpi_pm" || source == "jiffies" || source == "refined-jiffies";
  if (!slow) return;
  const bool has_tsc = (" " + facts.text("kernel.clocksources") + " ").find(" tsc ") != std::string::npos;
  findings.push_back({"clock_source", Severity::severe, "the kernel's clock is " + source,
                      "a reading costs a microsecond and a system call: short blocks measure the clock",
                      has_tsc ? "echo tsc | sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource"
                              : "the kernel gave up the time stamp counter at boot: see dmesg | grep -i tsc",
                      has_tsc, has_tsc});
}

void check_addresses(const FactReader& facts, Findings& findings) {
  // On is right for timing: see docs/guide/doctor.md.
  if (facts.text("aslr") != "0") return;
  findings.push_back({"addresses", Severity::warning, "address randomization is off",
                      "every process gets the same layout of memory: if it is a lucky one for one build, no number of "
                      "processes shows it",
                      "sudo sysctl kernel.randomize_va_space=2", true, true});
}

}  // namespace

void check_kernel(const FactReader& facts, Findings& findings) {
  check_clock_source(facts, findings);
  check_addresses(facts, findings);
  const auto paranoid = facts.number("kernel.perf_event_paranoid");
  if (paranoid && *paranoid > 2) {
    findings.push_back({"counters", Severity::note,
                        "hardware counters are closed (kernel.perf_event_paranoid is " +
                            facts.text("kernel.perf_event_paranoid") + ")",
                        "cycles, cache misses and migrations cannot be read beside the time",
                        "sudo sysctl kernel.perf_event_paranoid=1", true, true});
  }
  const bool may_isolate = facts.number("cpu.threads").value_or(0) >= 4 && facts.text("hypervisor") == "none";
  if (may_isolate && !facts.has("kernel.isolated_cores")) {
    findings.push_back({"isolation", Severity::note, "no core is kept free of other work",
                        "the kernel's own work and other processes run on the measured core now and then",
                        "add isolcpus=LIST nohz_full=LIST to the kernel's command line, and pin to these cores"});
  }
  if (facts.text("kernel.mitigations") == "off") {
    findings.push_back({"mitigations", Severity::note, "the mitigations of processor flaws are off",
                        "system calls and branches are faster here than where the program will run",
                        "remove mitigations=off from the kernel's command line"});
  }
}

void list_unseen(const FactReader& facts, std::vector<Unseen>& unseen) {
  struct Expected {
    const char* fact;
    const char* id;
    const char* why;
  };
  constexpr std::array kExpected{
      Expected{"cpu.model", "processor", "/proc/cpuinfo does not name it"},
      Expected{"cpu.governor", "governor", "no /sys/devices/system/cpu/cpu*/cpufreq (usual in virtual machines)"},
      Expected{"cpu.turbo", "turbo", "no intel_pstate/no_turbo and no cpufreq/boost under /sys/devices/system/cpu"},
      Expected{"cpu.threads_per_core", "smt", "no topology under /sys/devices/system/cpu"},
      Expected{"load", "load", "no /proc/loadavg"},
      Expected{"steal.percent", "steal", "no /proc/stat"},
      Expected{"memory.bytes", "memory", "no /proc/meminfo"},
      Expected{"thp", "huge_pages", "no /sys/kernel/mm/transparent_hugepage/enabled"},
      Expected{"aslr", "addresses", "no /proc/sys/kernel/randomize_va_space"},
      Expected{"kernel.clocksource", "clock_source", "no /sys/devices/system/clocksource/clocksource0"},
      Expected{"kernel.perf_event_paranoid", "counters", "no /proc/sys/kernel/perf_event_paranoid"},
      Expected{"numa.nodes", "memory_nodes", "no /sys/devices/system/node/online"},
  };
  for (const Expected& expected : kExpected) {
    if (!facts.has(expected.fact)) unseen.push_back({expected.id, expected.why});
  }
}

}  // namespace steelyard
