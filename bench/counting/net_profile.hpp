// From profiles as collected to the profile of the benchmark alone: the counting library's own instructions are taken
// off, and the profile of n iterations is taken from that of 2n, so that what happens once cancels.
#pragma once

#include <string_view>

#include "bench/counting/lines/origin_resolver.hpp"
#include "bench/counting/reader/callgrind_reader.hpp"
#include "bench/model/counted_profile.hpp"
#include "bench/model/result.hpp"

namespace steelyard::bench {

// File names of the preload libraries, by which their functions are known: the one that wraps benchmark::State, and the
// one beside it that sees a hidden clock. Of one length, as the counted program has the path in its environment.
inline constexpr std::string_view kShimFile = "libsteelyard_count.so";
inline constexpr std::string_view kClockShimFile = "libsteelyard_clock.so";

// Drops the preload libraries' functions and the arcs to and from them, its cost from the totals, and its cost from the
// inclusive cost of the callers as far up as each has one caller. totals are the sum of self costs before and after.
void remove_shim(CallgrindPart& part);

// larger - smaller, function by function and arc by arc; what is 0 in both is left out. Functions are known by object,
// file and name. The result's totals are the sum of its self costs; iterations and benchmark are left to the caller.
// Costs can be negative: a function that costs less in more iterations keeps state.
// Where the parts hold positions, so does the result hold sources; the resolver says from which function each line
// came, and where functions are declared. Error (bug): the events differ, or a function's sources do not add up to its
// self.
Result<CountedProfile> subtract(const CallgrindPart& larger, const CallgrindPart& smaller,
                                OriginResolver* resolver = nullptr);
// One part alone, as a profile: for what is read from files.
Result<CountedProfile> profile_of(const CallgrindPart& part, OriginResolver* resolver = nullptr);

}  // namespace steelyard::bench
