// A part of a callgrind.out file as the profile of a whole program (iterations 0), for what works on profiles.
#pragma once

#include <vector>

#include "bench/counting/reader/callgrind_reader.hpp"
#include "bench/model/counted_profile.hpp"
#include "bench/model/result.hpp"

namespace steelyard::bench {

CountedProfile whole_profile(const CallgrindPart& part);

// Several profiles as one: the threads of a program, or the dumps of one run.

// Functions are known by object, file and name, in the order of their first appearance; costs, calls, arcs and source
// lines are added up. Inclusive costs too: what a function spent in one part, it did not spend in another. Benchmark
// and iterations are those of the first. None: an empty profile. Error (input): other events or another number of
// iterations than in the first; costs that are not one for each event; an index that points nowhere; beyond 63 bits.
Result<CountedProfile> sum_of_profiles(const std::vector<CountedProfile>& profiles);

}  // namespace steelyard::bench
