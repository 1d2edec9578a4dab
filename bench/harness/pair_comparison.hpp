// Whether the values of two cells of a table differ, before any adjustment for the other cells.
#pragma once

#include <cstddef>
#include <span>

#include "bench/harness/median_interval.hpp"

namespace steelyard {

// Whether two sets of values differ in location: the test of Mann, Whitney and Wilcoxon (H. B. Mann and D. R. Whitney,
// On a test of whether one of two random variables is stochastically larger than the other, 1947). Not for paired
// rounds (regress/ab), and no statement about processes when the values are times of one.
//
//     rank_test(before, after).p  // two-sided

enum class RankMethod { none, exact, normal };

struct RankTest {
  double p = 1;  // two-sided; 1 where either side is empty or all values are equal
  RankMethod method = RankMethod::none;
};

struct RankTestOptions {
  // How much larger the variance of a mean is than of independent values (median_interval.hpp); at least 1. Above 1 the
  // normal approximation is used, its standard deviation times the square root of this.
  double inflation = 1;
  double inflation_error = 0;  // standard error of the inflation over itself, which weakens the test further
};

// Up to kMaxExactValues values together, or kMaxTiedValues where some are equal: over all ways to deal the ranks, so
// that p is exact. Above: normal approximation with the variance of the ties at hand and a continuity correction. Cost:
// up to 0.1 ms exact (1 ms with ties), above O(n log n). Precondition: no NaN.
inline constexpr std::size_t kMaxExactValues = 50;
inline constexpr std::size_t kMaxTiedValues = 30;
RankTest rank_test(std::span<const double> first, std::span<const double> second, RankTestOptions options = {});

// The smallest two-sided p that so many values could give: complete separation. 1 where either is 0.
double min_rank_p(std::size_t first, std::size_t second);

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
