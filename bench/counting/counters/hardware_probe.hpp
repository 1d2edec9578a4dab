// Which of the machine's counters a program may read here, and why not the others.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/counting/counters/hardware_events.hpp"

namespace steelyard {

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

// Why the kernel refused, and the mend where there is one.
std::string explain_refusal(int error, std::optional<int> paranoid);

}  // namespace steelyard
