// What the kernel accounts of a core's time and of a process's moves, for the indicators of disturbance.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace steelyard {

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

// Pure: "se.nr_migrations : 5" of /proc/PID/sched.
std::optional<std::int64_t> migrations_in(std::string_view sched);
// Of a process that runs or has not been reaped; absent where the kernel does not tell.
std::optional<std::int64_t> migrations_of(pid_t process);

}  // namespace steelyard
