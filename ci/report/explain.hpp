// The chain from samples to answer, in words: for a person who wants to know why a row got its verdict. Everything is
// read from the runs and the comparison; nothing is judged anew.
//
//     for (const Explanation& one : explain(baseline, candidate, comparison, "sort")) print(one.steps);
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/model/comparison.hpp"
#include "bench/model/run.hpp"

namespace steelyard::ci {

struct Explanation {
  std::string benchmark;
  std::string metric;
  std::vector<std::string> steps;  // one sentence or list each, "measured: ..." first, "verdict: ..." near the end
};

inline constexpr const char* kExplainAll = "all";

// Every row whose benchmark contains `part` (kExplainAll and "": every row), in the order of the comparison.
// `comparison` is what compare_runs made of the two runs; later additions to its rows do no harm. Of
// judge_against_history the baseline is the newest run of the history: counts are told from both runs, what a
// prediction decided from its history.
std::vector<Explanation> explain(const Run& baseline, const Run& candidate, const Comparison& comparison,
                                 std::string_view part);

}  // namespace steelyard::ci
