// Which processes were disturbed while they ran. The rule reads the conditions alone, never what was measured, and
// holds each process against its own kind: to pick rounds by their results would bias them, and a program that faults
// or waits by its nature is not disturbed by it.
//
// An indicator of disturbance counts where it is above its floor and above what is usual for this benchmark of this
// side: the median plus six standard deviations (1.4826 times the median absolute deviation) of all its invocations.
// With fewer than four invocations the floor alone decides.
//
//     const UsualConditions usual = usual_conditions(invocations);   // of one benchmark and side
//     for (const Invocation& invocation : invocations) causes = disturbed_by(invocation, usual);
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/measurement.hpp"
#include "bench/runner/child_process.hpp"

namespace steelyard::bench {

// What the kernel accounts of a core's time and of a process's moves, for the indicators of disturbance.
// Since the machine started; in whole ticks.
struct CoreTimes {
  std::int64_t busy_ns = 0;   // user, nice, system, interrupts
  std::int64_t steal_ns = 0;  // a hypervisor ran something else
};

// The grain of what read_core_times() yields.
std::int64_t tick_ns();

// Pure: the line "cpuN ..." of /proc/stat; core -1: the line "cpu ...", all cores together. Absent where there is none
// or it has too few columns (steal is the eighth, since Linux 2.6.11).
std::optional<CoreTimes> core_times_in(std::string_view stat, int core, std::int64_t tick_ns);
std::optional<CoreTimes> read_core_times(int core, const std::filesystem::path& root = "/");

// Pure: "se.nr_migrations : 5" of /proc/PID/sched; absent where the kernel does not tell. The supervisor calls it, so
// it allocates nothing (bench/runner/supervisor.hpp).
std::optional<std::int64_t> migrations_in(std::string_view sched);

inline constexpr std::size_t kDisturbanceIndicators = 6;

struct UsualConditions {
  // Of each indicator; where the system gave fewer than four values, its floor alone decides.
  std::array<double, kDisturbanceIndicators> limits;
  UsualConditions() { limits.fill(-std::numeric_limits<double>::infinity()); }
};

UsualConditions usual_conditions(std::span<const Invocation> invocations);

// The causes' names ("steal time"), in the order of the indicators; empty: nothing unusual was seen.
std::vector<std::string> disturbed_by(const Invocation& invocation, const UsualConditions& usual);

// Takes the readings around processes that run together, before their start and after the last one's end, and makes of
// them what each invocation keeps. Reads the system; judges nothing (see disturbance).
//
//     ConditionsWatch watch({core_a, core_b});
//     const auto children = run_children(commands);
//     const std::vector<InvocationConditions> conditions = watch.finish(children);
class ConditionsWatch {
 public:
  // One entry a process; absent: it is not pinned, and what is known of single cores stays absent.
  explicit ConditionsWatch(std::vector<std::optional<int>> cores);
  // One entry a process, in the same order; empty conditions for one that did not start. Call it once.
  std::vector<InvocationConditions> finish(const std::vector<Result<ChildResult>>& children);

 private:
  struct Reading {
    std::optional<double> mhz;
    std::optional<CoreTimes> times;
  };
  static Reading read_after(std::optional<int> core);

  std::vector<std::optional<int>> cores_;
  std::vector<Reading> before_;
};

}  // namespace steelyard::bench
