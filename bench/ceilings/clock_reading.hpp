// A core's clock now, read off a chain of dependent additions: each takes one cycle on every processor that this runs
// on, and the next cannot start before. Not the time-stamp counter, which ticks at a rate of its own.
#pragma once

namespace steelyard {

// In Hz; takes about a million cycles, of which it uses the median of short pieces, so that a thread that loses its
// core for a moment reads no slower clock.
double read_clock_hz();

}  // namespace steelyard
