// Which processes a program's own search for the number of iterations was cut short in. The search ends at the first
// try that lasts long enough: where something else had the core meanwhile that is a try of one iteration, or of far
// fewer than are due, and all samples of the process are then of so few.
//
// A process was cut short where it took fewer than a tenth of the iterations that are usual of both sides together, and
// some sample of it did not last half of what samples usually last, or of what was asked for. So a program that became
// slower is never taken for one, however much: each of its samples lasts. Nor is a side whose processes are all of few
// iterations, because usual is what half of all processes reach; most of them would be, as where a first call has
// become slow in most processes: then a repetition takes the place of a round that it happened to spare. Of one sample
// a process nothing is told. The rule does not see which side is which.
//
//     const UsualSearch usual = usual_search(sides, size.min_time);
//     if (is_cut_short(process, usual)) ...
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "bench/model/quantity.hpp"

namespace steelyard::bench {

// As what disturbed a process.
inline constexpr std::string_view kCutShort = "a search for iterations that was cut short";

struct SearchedProcess {
  std::uint32_t invocation = 0;  // its position in its run
  std::int32_t round = 0;
  std::int64_t iterations = 0;  // the fewest of its samples
  Nanoseconds shortest;         // of its samples, with all iterations
};

struct UsualSearch {
  double few_iterations = 0;  // below which a process may have been cut short
  Nanoseconds short_sample;   // if one of its samples lasted less than this
};

// `sides`: of one benchmark, one entry a side that is measured together; without processes nothing is cut short.
UsualSearch usual_search(std::span<const std::vector<SearchedProcess>> sides, Nanoseconds min_time);
bool is_cut_short(const SearchedProcess& process, const UsualSearch& usual);

}  // namespace steelyard::bench
