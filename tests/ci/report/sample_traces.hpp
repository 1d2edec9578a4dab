// Traces that tests of the page and of its sentences share.
#pragma once

#include "bench/profile/trace.hpp"

namespace steelyard::sample {

// One thread that prepares for 100 us and launches a kernel of 10 us, over and over.
bench::Trace launch_bound(int steps);

}  // namespace steelyard::sample
