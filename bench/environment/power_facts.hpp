// What lets the clock of the processor move: its range, its driver, heat, simultaneous threads, battery.
#pragma once

#include <filesystem>

#include "bench/model/environment.hpp"

namespace steelyard {

// cpu.frequency_driver, cpu.governors (that could be chosen), cpu.mhz.max, cpu.mhz.min (of the fastest core), cpu.mhz
// where nothing said it before, cpu.smt ("on", "off", "notsupported", ...), cpu.thermal_throttles (since boot, all
// cores), cpu.capacities (number of kinds of cores, from 2 on), power.source ("mains" or "battery"). None decides.
void add_power_facts(const std::filesystem::path& root, Environment& environment);

}  // namespace steelyard
