// What the library inside the program (hardware_library.cpp) wrote of its passes, and the counts per iteration that
// follow from it. The arithmetic of a counter that had to share its place in the CPU is here.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/counting/counters/hardware_events.hpp"

namespace steelyard {

// One pass of one thread.
struct HardwarePass {
  std::int64_t iterations = 0;
  std::map<std::string, HardwareReading> readings;  // by metric; one that could not be opened is absent
};

// Absent where the text is no whole report: a pass without its end, a line that is none.
std::optional<std::vector<HardwarePass>> parse_hardware_report(std::string_view text);

struct HardwareValue {
  double per_iteration = 0;
  double share_counted = 1;  // of the time that it was wanted; below 1 the value is scaled up by it
};

// The count over the whole time that it was wanted: value * enabled / running. Absent where the counter never ran,
// although it was wanted.
std::optional<double> scaled(const HardwareReading& reading);

// Of the passes with the most iterations, all threads and repetitions together: the others are what Google Benchmark
// runs to find that number. Empty where there is no such pass.
std::map<std::string, HardwareValue> per_iteration(const std::vector<HardwarePass>& passes);

}  // namespace steelyard
