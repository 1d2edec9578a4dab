// Two to five rounds: too few to reach .05 by exchanging sides, so p leans on the normal distribution after all.
// Student's paired t (The probable error of a mean, 1908) with weights: a round in which a process was disturbed
// inside, which its samples show by their spread, counts less. The weights know nothing of the effect or of its sign.
//
// On recorded noise of unchanged programs the weights and the means of the middle samples raise the share of tries in
// which 5 rounds find 5 % from 64 to 74 % (docs/method.md).
#pragma once

#include <span>

#include "regress/ab/rounds.hpp"

namespace steelyard {

struct WeightedMean {
  double mean = 0;
  double standard_error = 0;
  double degrees = 0;  // of freedom
};
// Precondition: at least two rounds.
WeightedMean weighted_difference(std::span<const PairedRound> rounds);

// The mean of the logarithms between the tenth and the ninetieth percentile; values count by what of them lies inside.
// Precondition: not empty. In any order.
double middle_mean(std::span<const double> logs);

}  // namespace steelyard
