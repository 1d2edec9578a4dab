// The machine's own counters of the timed loop, at full speed, in processes of their own: both sides in turns, so that
// they can be compared. Noisy, like time; never taken beside a measurement of time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/counting/count.hpp"
#include "bench/counting/counters/hardware_events.hpp"
#include "bench/model/result.hpp"
#include "bench/runner/settings.hpp"

namespace steelyard::bench {

// Which of the machine's counters a program may read here, and why not the others.

// Opens an event and closes it again: 0, or the errno of the refusal. The tests have others than the kernel.
using EventSource = int (*)(const HardwareEvent& event);
int try_event(const HardwareEvent& event);

// Whatever is not refused, and one sentence for each refusal: "hardware_cycles, hardware_instructions: the machine
// shows no such counter ...".
struct HardwareProbe {
  std::vector<std::string> available;  // metrics
  std::vector<std::string> refusals;
};
// `paranoid` is kernel.perf_event_paranoid; absent: unknown.
HardwareProbe probe_hardware(EventSource source, std::optional<int> paranoid);

// Of this kernel: /proc/sys/kernel/perf_event_paranoid.
std::optional<int> perf_event_paranoid();

// Why the kernel refused, and the fix where there is one.
std::string explain_refusal(int error, std::optional<int> paranoid);

// What the library inside the program (hardware_library.cpp) wrote of its passes, and the counts per iteration that
// follow from it. The arithmetic of a counter that had to share its place in the CPU is here.

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

}  // namespace steelyard::bench
