// The counters that are asked of the kernel (perf_event_open(2)), for the library inside the measured program
// (hardware_library.cpp) and for the probe outside of it (hardware_probe). Plain C: the library knows no C++ library.
#pragma once

#include <linux/perf_event.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace steelyard::bench {

struct HardwareEvent {
  const char* metric;
  uint32_t type;
  uint64_t config;
};

// The last two are the kernel's own and work where the machine shows no counters, as in most virtual ones.
inline constexpr HardwareEvent kHardwareEvents[] = {
    {"hardware_cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"hardware_instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"hardware_cache_misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {"hardware_branch_misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    {"task_clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
    {"page_faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
};
inline constexpr int kHardwareEventCount = sizeof kHardwareEvents / sizeof kHardwareEvents[0];

// What a read of the descriptor yields.
struct HardwareReading {
  uint64_t value;
  uint64_t enabled_ns;  // the counter was wanted
  uint64_t running_ns;  // it had a place in the CPU; less where more counters are wanted than the CPU has
};

// Of the calling thread and the threads it makes, user mode only, not counting yet. A descriptor, or -1 with errno.
inline int open_event(const HardwareEvent& event) {
  perf_event_attr attributes;
  memset(&attributes, 0, sizeof attributes);
  attributes.size = sizeof attributes;
  attributes.type = event.type;
  attributes.config = event.config;
  attributes.disabled = 1;
  attributes.inherit = 1;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

}  // namespace steelyard::bench
