// A line for each benchmark: the worst of its rows that was measured, and in a few words what its other rows did. And
// which of these lines stand in a report that has no room for all.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "bench/model/comparison.hpp"

namespace steelyard::ci {

// Pointers are into the comparison.
struct BenchmarkLines {
  // One row of each benchmark that has one with an answer or without (regression, improvement, unchanged,
  // inconclusive), of those with a change the worst; worst first. What is missing, new or failed has its finding.
  std::vector<const ComparisonRow*> leading;
  std::map<const ComparisonRow*, std::vector<const ComparisonRow*>> others;  // of the same benchmark; absent: none
  std::string others_title;                                                  // "instructions", "others"; empty: none

  // "+12.4 %" where the title names the only metric, else "instructions +12.4 %, allocations equal"; empty: none.
  std::string others_text(const ComparisonRow& row) const;
};
BenchmarkLines benchmark_lines(const Comparison& comparison);

struct ChosenLines {
  std::vector<const ComparisonRow*> shown;   // `room` at most, worst first
  std::vector<const ComparisonRow*> hidden;  // in the same order
};
// The worst, and some of every other verdict.
ChosenLines chosen_lines(const BenchmarkLines& lines, std::size_t room);

// "10 more regressions, 3 more inconclusive, 31 more unchanged (within 0.8 %)".
std::string hidden_lines_text(const std::vector<const ComparisonRow*>& hidden);

// "8 more unchanged, 3 of them not timed, none of the others by more than 0.21 %".
std::string hidden_unchanged_text(const std::vector<const ComparisonRow*>& hidden);

}  // namespace steelyard::ci
