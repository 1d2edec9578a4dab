// What the machine says of itself under /proc and /sys: processor, caches, power management, kernel.
#pragma once

#include <filesystem>

#include "bench/model/environment.hpp"

namespace steelyard::bench {

// What processor this is, as the kernel tells it: model, features, cores, threads, governor, turbo, hypervisor.

// Sets the cpu.* facts and `hypervisor`; leaves out what the files under `root` do not say.
void add_cpu_facts(const std::filesystem::path& root, Environment& environment);

// The processor's caches, as the kernel lists them under each core.

// cpu.cache.l1d, .l1i, .l2, .l3 in bytes of one cache ("32768+65536" where cores differ), and the largest number of
// threads that share a last-level cache as cpu.cache.last_level_threads. Never decisive: the CPU model implies them.
void add_cache_facts(const std::filesystem::path& root, Environment& environment);

// What lets the clock of the processor move: its range, its driver, heat, simultaneous threads, battery.

// cpu.frequency_driver, cpu.governors (that could be chosen), cpu.mhz.max, cpu.mhz.min (of the fastest core), cpu.mhz
// where nothing said it before, cpu.smt ("on", "off", "notsupported", ...), cpu.thermal_throttles (since boot, all
// cores), cpu.capacities (number of kinds of cores, from 2 on), power.source ("mains" or "battery"). None decides.
void add_power_facts(const std::filesystem::path& root, Environment& environment);

// What the kernel was told or chose that reaches a timing: clock, isolated cores, mitigations, swap, memory nodes.

// kernel.clocksource, kernel.clocksources (that could be chosen), kernel.perf_event_paranoid, kernel.isolated_cores and
// kernel.nohz_full (only where set), kernel.mitigations ("off", "on", "auto,...": the boot option, else "default"),
// kernel.vulnerabilities (number of those that are not mitigated), memory.swap_bytes, memory.swap_used_bytes,
// memory.swappiness, numa.nodes, numa.balancing. None decides.
void add_kernel_facts(const std::filesystem::path& root, Environment& environment);

}  // namespace steelyard::bench
