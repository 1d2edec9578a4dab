// A run with every field filled and every awkward value in it, the same wherever it is made: what the archive's
// fixtures hold.
#pragma once

#include "bench/model/run.hpp"

namespace steelyard::storage {

// Not sealed.
Run sample_run();

}  // namespace steelyard::storage
