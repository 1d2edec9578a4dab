// How often a permutation of the units' labels gives a statistic at least as far from zero as the labels that were
// measured. Two families of labels: signs (each round's candidate and baseline swap) and splits (which units carry the
// mark is drawn anew, their number kept). The scores must not depend on the labels; then the p-value is exact whatever
// their distribution (R. A. Fisher, The Design of Experiments, 1935, section 21; E. J. G. Pitman, 1937).
//
// Exact up to kExactUnits units, by counting every arrangement through its sum; above that by the normal approximation
// with the exact permutation variance. The observed arrangement counts, so p is never 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace steelyard::regress {

// Beyond this many the table of sums costs milliseconds and the tail of a sum of bounded scores is close to normal.
inline constexpr std::size_t kExactUnits = 64;

// Two-sided p of |sum of scores| when each score may change its sign. No score or all zero: 1. Cost O(n) times the
// grid of sums (at most a few hundred).
double sign_flip_p(std::span<const double> scores);

// Two-sided p of the difference between the mean score of the marked units and that of the others. `marked` has one
// entry per score. None or all marked, or all scores equal: 1.
double split_p(std::span<const double> scores, const std::vector<bool>& marked);

// The smallest two-sided p these can give: nothing is more extreme than complete separation.
double min_sign_flip_p(std::size_t units);
double min_split_p(std::size_t marked, std::size_t units);

// The least even number of rounds, 12 to 40, by which one lone change among `comparisons` can reach the family-wise
// level with split_p() as Holm's first step asks for it, at level / comparisons. Adjusted jointly (joint.hpp) a lone
// change among any number can reach it in the rounds of one comparison, yet is seldom called among fifty; in the rounds
// planned here a gate of fifty finds as much as one of a dozen does in 12 (docs/measured/judging_scores.md).
int rounds_needed(double false_alarm_rate, std::int64_t comparisons);

}  // namespace steelyard::regress
