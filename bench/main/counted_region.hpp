// Tells Callgrind, by its client requests, to collect exactly while the clock of a benchmark runs: the loops of a
// program that is linked with bench_main are counted without a preloaded library, so that it may be stripped or static.
// Three cases: nothing counts (no cost but a test of one variable); `steelyard` counts, and says by its environment how
// many iterations; somebody runs Callgrind by hand and asks with --steelyard_callgrind. Where the preloaded library is
// loaded as well (bench/counting/shim) it does all of this itself, and nothing here is on: two toggles are none. The
// reader of the profile takes this namespace's instructions off it (bench/counting/net_profile).
#pragma once

#include <cstdint>

namespace steelyard::counted_region {

// Once, before the first benchmark. `by_hand`: --steelyard_callgrind.
void begin(bool by_hand);
// After the last; the report is complete with it.
void end();

bool is_on();
// The number of iterations that a new pass is to make; ends the program where the counted pass is over.
std::int64_t iterations_of_pass(std::int64_t wanted);

// Idempotent, for the calling thread. Only where is_on().
void collect_from_here();
void collect_until_here();

void note_pass_started();
void note_pass_finished(std::int64_t iterations);
void note_pass_skipped();

}  // namespace steelyard::counted_region
