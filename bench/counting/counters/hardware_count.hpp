// The machine's own counters of the timed loop, at full speed, in processes of their own: both sides in turns, so that
// they can be compared. Noisy, like time; never taken beside a measurement of time.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/counting/count.hpp"
#include "bench/counting/counters/hardware_report.hpp"
#include "bench/model/quantity.hpp"
#include "bench/model/result.hpp"
#include "bench/model/run.hpp"
#include "bench/runner/settings.hpp"

namespace steelyard {

// File name of the library; it lies beside the counting library.
inline constexpr std::string_view kHardwareLibrary = "libsteelyard_hardware.so";

struct HardwareOptions {
  std::filesystem::path library;  // empty: ../lib/steelyard/ beside the running program
  int rounds = 6;                 // fewer cannot reach 5 % two-sided
  std::function<void(const std::string& benchmark, double done)> progress;
};

// Adds to the run of each side, the baseline first where there are two, a measurement of each metric that this machine
// has (one invocation a round), or one failure a benchmark. What it has not is said in `warnings` and in the runs'
// setting "counting.hardware". Error (input): a program that cannot be run at all.
Result<void> count_hardware(const std::vector<CountSide>& sides, const MeasuringSettings& settings,
                            const Limits& limits, const HardwareOptions& options, std::vector<std::string>& warnings);

}  // namespace steelyard
