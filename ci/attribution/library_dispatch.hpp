// A library that picks its kernels by the processor it sees (OpenBLAS does) runs other code under the counter than
// natively. Time and count of what calls it are then witnesses of two programs, and must not be told as one story.
#pragma once

#include <string>

#include "bench/model/run.hpp"

namespace steelyard {

// What the run recorded of such a difference (the fact "count.dispatch"), or null where there is none. Points into the
// run.
const std::string* different_dispatch(const Run& run);

// Whether the profile has a function of such a library.
bool calls_a_dispatching_library(const CountedProfile& profile);

}  // namespace steelyard
