// Which rounds of a benchmark its program's own search for the number of iterations cut short. The search ends at the
// first try that lasts long enough: where something else had the core meanwhile that is a try of one iteration, or of
// far fewer than are due, and all samples of the process are then of so few. They say nothing of the program.
//
// A process was cut short where it took fewer than a tenth of the iterations that are usual of both sides together, and
// some sample of it did not last half of what was asked for. So a program that became slower is never taken for one,
// however much: each of its samples lasts. Nor is a side whose processes are all of few iterations, because usual is
// what half of all processes reach. Of one sample a process nothing is told. The rule does not see which side is which:
// if nothing changed, the two values of a round could change places before it and after it.
//
//     for (const std::int32_t round : rounds_cut_short(sides, size.min_time)) ...
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "bench/model/quantity.hpp"

namespace steelyard::bench {

struct SearchedProcess {
  std::uint32_t invocation = 0;  // its position in its run
  std::int32_t round = 0;
  std::int64_t iterations = 0;  // the fewest of its samples
  Nanoseconds shortest;         // of its samples, with all iterations
};

// `sides`: of one benchmark, one entry a side that was measured together. Rounds that lack a side are none of these;
// nor are any where all would be.
std::set<std::int32_t> rounds_cut_short(std::span<const std::vector<SearchedProcess>> sides, Nanoseconds min_time);

}  // namespace steelyard::bench
