// Exact tails of a count, to hold a simulation to a rate. Intervals of shares: regress/calibration/calibrate.hpp.
#pragma once

#include <cstdint>

namespace steelyard::judging {

// P(X >= count) of `tries` tries that each succeed with `chance`. Cost O(tries).
double binomial_upper_tail(std::int64_t count, std::int64_t tries, double chance);
// P(X <= count).
double binomial_lower_tail(std::int64_t count, std::int64_t tries, double chance);

}  // namespace steelyard::judging
