// What the kernel was told or chose that reaches a timing: clock, isolated cores, mitigations, swap, memory nodes.
#pragma once

#include <filesystem>

#include "bench/model/environment.hpp"

namespace steelyard {

// kernel.clocksource, kernel.clocksources (that could be chosen), kernel.perf_event_paranoid, kernel.isolated_cores and
// kernel.nohz_full (only where set), kernel.mitigations ("off", "on", "auto,...": the boot option, else "default"),
// kernel.vulnerabilities (number of those that are not mitigated), memory.swap_bytes, memory.swap_used_bytes,
// memory.swappiness, numa.nodes, numa.balancing. None decides.
void add_kernel_facts(const std::filesystem::path& root, Environment& environment);

}  // namespace steelyard
