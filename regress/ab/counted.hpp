// Counted metrics: no statistics. Two counts under the same conditions are equal or they are not; the only tolerance is
// the jitter that repeats of one build were seen to have.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "bench/model/comparison.hpp"
#include "regress/ab/judged.hpp"
#include "regress/ab/rules.hpp"

namespace steelyard::regress {

// Range of the repeats over their median, relative; 0 for one value, for equal values, and for counts of 0.
double relative_jitter(std::span<const double> values);

// One side's counts and what they stand on.
struct CountedSide {
  std::vector<double> values;
  CountBasis basis = {};
};

// Fills levels, ratio, interval, jitter, scope, test and verdict of `row` (metric and policy fields are set). A level
// is the median of a side's values; the jitter is the largest that either side states or shows. Counts that are not
// finite or negative: failed. No value on a side: failed. Scopes that differ: incomparable. Beyond the jitter:
// regression or improvement. Within it: unchanged, or inconclusive where the jitter itself exceeds the margin of
// equivalence. From 0 there is no ratio, only a verdict.
//
// A side whose median is 0 has its jitter relative to the other side's median. Where that is 0 too and repeats differ,
// there is no jitter, and the row is inconclusive. (Before Rules::rounds_7 such a side had a jitter of 0, and from 0
// every other count was a change.)
RowFacts judge_counted(const CountedSide& baseline, const CountedSide& candidate, ComparisonRow& row,
                       Rules rules = kNewestRules);

// Keys that differ: the parts (between ';', ',' or line ends) that the other side lacks.
why::CountKeysDiffer count_key_difference(std::string_view baseline, std::string_view candidate);

}  // namespace steelyard::regress
