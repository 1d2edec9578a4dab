// What the clock and the spinning loop showed.
#include <array>
#include <cstdio>
#include <string>

#include "bench/doctor/checks.hpp"

namespace steelyard {
namespace {

// The loop does the same work in each slice. On a quiet machine with a steady clock the spread is some tenths of a
// percent; from 2 % on an effect of 1 % needs many rounds, from 10 % on it is out of reach of a usual budget.
constexpr double kSevereSpread = 0.10;
constexpr double kNoticeableSpread = 0.02;
// Time above the median slice: interruptions.
constexpr double kSevereLoss = 0.05;
constexpr double kNoticeableLoss = 0.01;
constexpr double kSevereSteal = 0.01;
constexpr double kNoticeableSteal = 0.001;
// A block of the usual 1 ms must be a thousand steps of the clock long at least.
constexpr double kSevereStep_ns = 1000;
constexpr double kNoticeableRead_ns = 200;

std::string in_ns(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.0f ns", value);
  return text.data();
}

}  // namespace

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
                        "see to the causes below; measure both builds side by side: steelyard ab OLD NEW"});
  }
  if (probe.steal && *probe.steal >= kNoticeableSteal) {
    findings.push_back({"steal_now", *probe.steal >= kSevereSteal ? Severity::severe : Severity::warning,
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

}  // namespace steelyard
