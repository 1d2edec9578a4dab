#include "bench/doctor/diagnose.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "bench/model/parse_number.hpp"
#include "bench/model/text.hpp"

namespace steelyard::bench {
namespace {

// The single checks, by what they look at. Each looks at its facts and adds what is wrong; the order within one
// severity is that of the calls in diagnose().

// The facts with their numbers read.
class FactReader {
 public:
  explicit FactReader(const Environment& environment) : environment_(environment) {}
  std::string text(std::string_view name) const;  // empty: absent
  std::optional<double> number(std::string_view name) const;
  bool has(std::string_view name) const { return environment_.find(name) != nullptr; }

 private:
  const Environment& environment_;
};

using Findings = std::vector<Finding>;

std::string FactReader::text(std::string_view name) const {
  const std::string* value = environment_.find(name);
  return value == nullptr ? "" : *value;
}

std::optional<double> FactReader::number(std::string_view name) const {
  const std::string* value = environment_.find(name);
  return value == nullptr ? std::nullopt : parse_as<double>(*value);
}

// "12.5 %"
std::string percent(double share) {
  return (share < 0.1 ? significant_text(100 * share, 2) : decimals_text(100 * share, 0)) + " %";
}

// Of the machine's threads. From half of them on a pinned benchmark meets another process more often than not.
constexpr double kSevereLoad = 0.5;
constexpr double kNoticeableLoad = 0.15;
// Steal time, in percent of the busy time: 1 % is the size of the effects that people ask about.
constexpr double kSevereSteal = 1;
constexpr double kNoticeableSteal = 0.1;
// Throttled of all periods that had work to do.
constexpr double kSevereThrottling = 0.01;

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

// What lets the pace of a core move: battery, governor, turbo, heat, unequal cores, threads that share one.

void check_power(const FactReader& facts, Findings& findings) {
  if (facts.text("power.source") != "battery") return;
  findings.push_back({"battery", Severity::severe, "this machine runs on its battery",
                      "the firmware lowers the clock as it likes, by a third and more", "plug it in"});
}

void check_governor(const FactReader& facts, Findings& findings) {
  const std::string governor = facts.text("cpu.governor");
  if (governor.empty() || governor == "performance") return;
  const std::string governors = " " + facts.text("cpu.governors") + " ";
  const bool can = facts.text("cpu.governors").empty() || governors.find(" performance ") != std::string::npos;
  Finding finding{"governor", Severity::warning, "the frequency governor is " + governor,
                  "the clock follows the load: short benchmarks run slower at first, and by how much depends on what "
                  "ran before"};
  finding.fix = can ? "echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor"
                    : "this driver offers no governor \"performance\"; let each benchmark run longer";
  finding.fix_is_command = finding.needs_root = finding.fixable = can;
  findings.push_back(finding);
}

void check_turbo(const FactReader& facts, Findings& findings) {
  if (facts.text("cpu.turbo") != "on") return;
  const bool intel = facts.text("cpu.frequency_driver").starts_with("intel");
  findings.push_back({"turbo", Severity::warning, "turbo is on",
                      "the clock depends on heat and on how many cores are busy: 10 to 40 % between a cool and a busy "
                      "machine",
                      intel ? "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo"
                            : "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost",
                      true, true, true});
}

void check_frequency(const FactReader& facts, Findings& findings) {
  check_governor(facts, findings);
  check_turbo(facts, findings);
  if (facts.number("cpu.thermal_throttles").value_or(0) > 0) {
    findings.push_back(
        {"heat", Severity::warning,
         "the processor has throttled for heat " + facts.text("cpu.thermal_throttles") + " times since it was started",
         "a hot processor slows down in the middle of a run",
         "clean the cooling, pause between runs, or turn turbo off"});
  }
  if (const auto kinds = facts.number("cpu.capacities")) {
    findings.push_back({"unequal_cores", Severity::warning,
                        "there are " + facts.text("cpu.capacities") + " kinds of cores of different speed",
                        "a process that moves from one kind to the other changes its speed several times over",
                        "lscpu --extended=CPU,MAXMHZ && taskset --cpu-list CORE COMMAND", true});
  }
}

void check_threads(const FactReader& facts, Findings& findings) {
  const auto threads_per_core = facts.number("cpu.threads_per_core");
  if (threads_per_core && *threads_per_core > 1) {
    Finding finding{"smt",
                    Severity::warning,
                    "each core runs " + facts.text("cpu.threads_per_core") + " threads (simultaneous multithreading)",
                    "whatever runs on the other thread of a core takes up to half of its speed",
                    "echo off | sudo tee /sys/devices/system/cpu/smt/control",
                    true,
                    true};
    const std::string control = facts.text("cpu.smt");
    if (control == "notsupported" || control == "notimplemented" || control.empty()) {
      finding.fix = "pin to one thread of each core: taskset --cpu-list 0 COMMAND (lscpu --extended lists them)";
      finding.fix_is_command = finding.needs_root = false;
    }
    findings.push_back(finding);
  }
  if (facts.number("cpu.threads").value_or(2) < 2) {
    findings.push_back({"single_core", Severity::warning, "there is one core",
                        "everything else on this machine runs between the timed blocks, and two builds cannot be "
                        "measured side by side",
                        "use a machine with two cores or more"});
  }
}

// What the kernel was set to, and what this machine does not show.

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

// What the clock and the spinning loop showed.

// The loop does the same work in each slice. On a quiet machine with a steady clock the spread is some tenths of a
// percent; from 2 % on an effect of 1 % needs many rounds, from 10 % on it is out of reach of a usual budget.
constexpr double kSevereSpread = 0.10;
constexpr double kNoticeableSpread = 0.02;
// Time above the median slice: interruptions.
constexpr double kSevereLoss = 0.05;
constexpr double kNoticeableLoss = 0.01;
constexpr double kSevereStealShare = 0.01;
constexpr double kNoticeableStealShare = 0.001;
// A block of the usual 1 ms must be a thousand steps of the clock long at least.
constexpr double kSevereStep_ns = 1000;
constexpr double kNoticeableRead_ns = 200;

std::string in_ns(double value) { return decimals_text(value, 0) + " ns"; }

void check_probe(const ProbeResult& probe, Findings& findings) {
  const SliceSummary& slices = probe.slices;
  if (slices.lost >= kNoticeableLoss) {
    findings.push_back({"interruptions", slices.lost >= kSevereLoss ? Severity::severe : Severity::warning,
                        "a loop of fixed work lost " + percent(slices.lost) + " of its time to interruptions, with " +
                            std::to_string(probe.involuntary_switches) + " involuntary switches",
                        "a timing takes in what interrupts it", "ps -eo pcpu,pid,comm --sort=-pcpu | head", true});
  }
  if (slices.spread >= kNoticeableSpread) {
    findings.push_back({"unsteady", slices.spread >= kSevereSpread ? Severity::severe : Severity::warning,
                        "the times of equal slices of work spread over " + percent(slices.spread) + " of their median",
                        "changes smaller than that need many rounds to be seen",
                        "see to the other causes; measure both builds side by side: steelyard ab OLD NEW"});
  }
  if (probe.steal && *probe.steal >= kNoticeableStealShare) {
    findings.push_back({"steal_now", *probe.steal >= kSevereStealShare ? Severity::severe : Severity::warning,
                        "while the loop ran, " + percent(*probe.steal) + " of the busy time went to others on the host",
                        "the clock runs on while the machine stands still",
                        "use a dedicated host, or measure both builds side by side: steelyard ab OLD NEW"});
  }
  if (probe.throttled_periods.value_or(0) > 0) {
    findings.push_back({"throttled_now", Severity::severe,
                        "while the loop ran, the control group ran out of its processor time " +
                            std::to_string(*probe.throttled_periods) + " times",
                        "the process stands still for the rest of each such period, up to 0.1 s at a time",
                        "raise the limit: docker run --cpus=N, or resources.limits.cpu of the pod"});
  }
  if (probe.clock.step_ns >= kSevereStep_ns) {
    findings.push_back({"clock_step", Severity::severe, "the clock ticks in steps of " + in_ns(probe.clock.step_ns),
                        "short blocks are measured in a few steps only",
                        "give each block at least 1000 steps: --min-time"});
  } else if (probe.clock.read_ns >= kNoticeableRead_ns) {
    findings.push_back({"clock_reading", Severity::warning,
                        "a reading of the clock costs " + in_ns(probe.clock.read_ns),
                        "blocks of few iterations measure the clock",
                        "cat /sys/devices/system/clocksource/clocksource0/current_clocksource", true});
  }
}

// How the program was built, and whether it can have fresh pages in every round.

void check_program(const FactReader& facts, Findings& findings) {
  if (facts.has("program.instruments")) {
    findings.push_back(
        {"instruments", Severity::severe, "the program was built with " + facts.text("program.instruments"),
         "it runs several times slower, and unevenly so", "build it without -fsanitize, --coverage and -pg"});
  }
  const std::string optimization = facts.text("program.optimization");
  const double unoptimized = facts.number("program.unoptimized_units").value_or(0);
  if (optimization == "-O0") {
    findings.push_back({"optimization", Severity::severe, "the program was built without optimization (-O0)",
                        "what is slow at -O0 says nothing of what is slow at -O2",
                        "cmake -B build -DCMAKE_BUILD_TYPE=RelWithDebInfo && cmake --build build", true});
  } else if (unoptimized > 0) {
    findings.push_back({"optimization", Severity::warning,
                        "parts of the program were built without optimization: " + optimization,
                        "these parts, if they are measured, run several times slower than they will",
                        "build every part at one level; program.switches of a run has the switches"});
  }
  if (optimization == "-Og") {
    findings.push_back({"optimization", Severity::warning, "the program was built for debugging (-Og)",
                        "it leaves out what -O2 does to the loops that a benchmark is about",
                        "cmake -B build -DCMAKE_BUILD_TYPE=RelWithDebInfo && cmake --build build", true});
  }
  if (facts.text("program.assertions") == "present") {
    findings.push_back({"assertions", Severity::warning, "the program checks assertions",
                        "checks that a release does not have are measured with it; some change the order of growth",
                        "build it with -DNDEBUG (CMAKE_BUILD_TYPE=Release or RelWithDebInfo)"});
  }
  const std::string debug_info = facts.text("program.debug_info");
  if (debug_info == "none") {
    findings.push_back({"debug_info", Severity::note, "the program has no debug information",
                        "functions have no files and lines in reports, and compiler and switches are not known",
                        "build it with -g: it does not change the code"});
  } else if (!debug_info.empty() && debug_info != "present") {
    findings.push_back({"debug_info", Severity::note, "the program's debug information is " + debug_info,
                        "compiler and switches cannot be read from it", "build it with plain -g"});
  } else if (debug_info == "present" && optimization.empty()) {
    findings.push_back({"switches", Severity::note, "the program's debug information names no switches",
                        "whether it was optimized is not known",
                        "GCC records them unless told not to; for Clang add -grecord-command-line"});
  }
}

void check_copies(const FactReader& facts, Findings& findings) {
  if (facts.has("copies.obstacle")) {
    findings.push_back({"copies", Severity::severe, "no folder for temporary files: " + facts.text("copies.obstacle"),
                        "nothing can be measured: each round runs fresh copies of the program from there",
                        "free space in /tmp, or set TMPDIR to a folder that you may write to"});
    return;
  }
  if (facts.text("program.pages") == "kept") {
    findings.push_back(
        {"copies", Severity::warning,
         "the program keeps its physical pages for a whole measurement: " + facts.text("program.pages_reason"),
         "the luck of a build's pages, of some benchmarks 0.4 to 2.4 %, looks like a change, and more "
         "rounds do not help",
         "set TMPDIR to a folder that programs may be run from; keep a program above 128 MiB on a disk, in a "
         "file of your own"});
  } else if (facts.text("copies.execution") == "forbidden") {
    findings.push_back({"copies", Severity::note,
                        "programs may not be run from " + facts.text("copies.folder") + " (mounted noexec)",
                        "the program's pages are read anew each round in place of a copy; file systems in memory and "
                        "files of others keep theirs",
                        "set TMPDIR to a folder that programs may be run from"});
  }
}

}  // namespace

std::string_view to_text(Severity severity) {
  switch (severity) {
    case Severity::severe:
      return "severe";
    case Severity::warning:
      return "warning";
    case Severity::note:
      return "note";
  }
  return "";
}

std::string_view to_text(Fitness fitness) {
  switch (fitness) {
    case Fitness::fit:
      return "fit";
    case Fitness::unknown:
      return "unknown";
    case Fitness::with_care:
      return "with care";
    case Fitness::not_fit:
      return "not fit";
  }
  return "";
}

namespace {

// Without these a machine cannot be called fit, whatever the rest looks like.
bool shows_enough(const FactReader& facts) {
  for (const char* fact : {"cpu.model", "cpu.threads", "cpu.governor", "load", "kernel.clocksource"}) {
    if (!facts.has(fact)) return false;
  }
  return true;
}

Fitness fitness_of(const FactReader& facts, const Findings& worst_first) {
  const Severity worst = worst_first.empty() ? Severity::note : worst_first.front().severity;
  if (worst == Severity::severe) return Fitness::not_fit;
  if (worst == Severity::warning) return Fitness::with_care;
  return shows_enough(facts) ? Fitness::fit : Fitness::unknown;
}

}  // namespace

Diagnosis diagnose(const Environment& environment, const std::optional<ProbeResult>& probe) {
  const FactReader facts(environment);
  Diagnosis diagnosis;
  Findings& findings = diagnosis.findings;
  // By the size of what each is known to do to a timing.
  check_program(facts, findings);
  check_copies(facts, findings);
  if (probe) check_probe(*probe, findings);
  check_power(facts, findings);
  check_load(facts, findings);
  check_hypervisor(facts, findings);
  check_frequency(facts, findings);
  check_threads(facts, findings);
  check_memory(facts, findings);
  check_kernel(facts, findings);
  check_devices(facts, findings);
  list_unseen(facts, diagnosis.unseen);
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding& a, const Finding& b) { return a.severity < b.severity; });
  diagnosis.fitness = fitness_of(facts, findings);
  return diagnosis;
}

}  // namespace steelyard::bench
