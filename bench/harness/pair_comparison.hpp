// Whether the values of two cells of a table differ, before any adjustment for the other cells.
#pragma once

#include <span>

#include "bench/harness/median_interval.hpp"

namespace steelyard {

struct PairSide {
  std::span<const double> values;  // at least one
  const MedianInterval& level;     // of the values
};

struct PairRules {
  bool is_exact = false;         // counted: decided by whether the ranges meet
  bool are_independent = false;  // the values are invocations; otherwise their dependence weakens the test
  double alpha = 0.05;           // what the p must be able to reach
};

struct PairOutcome {
  double p = 1;              // exact: 0 where they differ
  bool is_decidable = true;  // false: no data of this kind and number could have shown a difference
  bool is_extreme = false;   // the two are fully apart: p is the least that so many values give
};

// Samples whose level drifts, or that are too dependent for an interval, obey no test; they differ where the gap
// between their ranges is wider than either range, and are undecidable elsewhere.
PairOutcome compare_pair(const PairSide& first, const PairSide& second, const PairRules& rules);

}  // namespace steelyard
