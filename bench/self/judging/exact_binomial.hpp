// Exact statements about a share that was counted.
#pragma once

#include <cstdint>

#include "bench/model/interval.hpp"

namespace steelyard::judging {

// P(X >= count) of `tries` tries that each succeed with `chance`. Cost O(tries).
double binomial_upper_tail(std::int64_t count, std::int64_t tries, double chance);
// P(X <= count).
double binomial_lower_tail(std::int64_t count, std::int64_t tries, double chance);

// C. J. Clopper and E. S. Pearson, The use of confidence or fiducial limits illustrated in the case of the binomial,
// 1934. Of no tries: 0 to 1.
Interval clopper_pearson(std::int64_t count, std::int64_t tries, double confidence = 0.95);

}  // namespace steelyard::judging
