// What lets the pace of a core move: battery, governor, turbo, heat, unequal cores, threads that share one.
#include <string>

#include "bench/doctor/checks.hpp"

namespace steelyard {

void check_power(const FactReader& facts, Findings& findings) {
  if (facts.text("power.source") != "battery") return;
  findings.push_back({"battery", Severity::severe, "this machine runs on its battery",
                      "the firmware lowers the clock as it likes, by a third and more", "plug it in"});
}

namespace {

void check_governor(const FactReader& facts, Findings& findings) {
  const std::string governor = facts.text("cpu.governor");
  if (governor.empty() || governor == "performance") return;
  const std::string governors = " " + facts.text("cpu.governors") + " ";
  const bool can = facts.text("cpu.governors").empty() || governors.find(" performance ") != std::string::npos;
  Finding finding{"governor", Severity::warning, "the frequency governor is " + governor,
                  "the clock follows the load: short benchmarks run slower at first, and by how much depends on what "
                  "ran before"};
  finding.mend = can ? "echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor"
                     : "this driver offers no governor \"performance\"; let each benchmark run longer";
  finding.mend_is_command = finding.needs_root = finding.fixable = can;
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

}  // namespace

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
      finding.mend = "pin to one thread of each core: taskset --cpu-list 0 COMMAND (lscpu --extended lists them)";
      finding.mend_is_command = finding.needs_root = false;
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

}  // namespace steelyard
