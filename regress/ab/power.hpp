// What data of a given noise could have shown, and how many rounds would show more. The usual normal formula: an effect
// is found with power 1 - beta at two-sided level alpha where it is (z(1 - alpha/2) + z(1 - beta)) standard errors away
// (J. M. Lachin, Introduction to sample size determination and power analysis for clinical trials, Controlled Clinical
// Trials 2, 1981, equation 1); Student's quantiles where the error has degrees of freedom.
#pragma once

#include <cstdint>
#include <optional>

#include "regress/ab/effect.hpp"

namespace steelyard {

// The smallest relative change found with 80 % power at `level` / `comparisons` (Holm's first step). Absent without a
// standard error, or where so few units cannot reach that level at all.
std::optional<double> minimum_detectable_effect(const Effect& effect, double level, std::int64_t comparisons);

struct RoundsQuestion {
  double level = 0.05;
  std::int64_t comparisons = 1;
  double margin = 0.02;
};
inline constexpr int kMostRoundsNamed = 1000;
// How many rounds of this noise would decide with 80 % power: an effect of the size seen, where that lies outside the
// margin; otherwise that there is none beyond the margin. Even; kMostRoundsNamed stands for that many or more. Absent
// without a standard error.
std::optional<int> rounds_that_would_decide(const Effect& effect, const RoundsQuestion& question);

}  // namespace steelyard
