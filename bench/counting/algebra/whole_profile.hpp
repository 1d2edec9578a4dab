// A part of a callgrind.out file as the profile of a whole program (iterations 0), for what works on profiles.
#pragma once

#include "bench/counting/callgrind_reader.hpp"
#include "bench/model/counted_profile.hpp"

namespace steelyard {

CountedProfile whole_profile(const CallgrindPart& part);

}  // namespace steelyard
