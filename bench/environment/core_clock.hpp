// The clock that a core runs at now, read off a chain of dependent additions: each takes one cycle on every x86-64 and
// 64-bit ARM core of the last twenty years, whatever the hypervisor hides. Not the nominal frequency, nor the time
// stamp counter's.
#pragma once

#include <optional>

#include "bench/model/quantity.hpp"

namespace steelyard::bench {

// Moves the calling thread to the core, runs chains there as clock_mhz_here() does, and moves it back. Absent where the
// core cannot be entered, or that function says nothing.
std::optional<double> core_clock_mhz(int core);

// On the core that the calling thread happens to be on: chains for about `length` (twenty short ones, the fastest
// counts, so that an interruption does not lower it). Absent where the processor is none of those.
std::optional<double> clock_mhz_here(Nanoseconds length = milliseconds(1));

}  // namespace steelyard::bench
