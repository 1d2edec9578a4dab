// How sure a rate is, over the invocations that measured it, and how sure its share of a ceiling is when the ceiling
// was measured as well.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bench/model/comparison.hpp"

namespace steelyard {

struct RateEstimate {
  double value = 0;                  // median of the invocations' medians
  std::optional<Interval> interval;  // 95 %; absent below 2 invocations
  std::int64_t invocations = 0;
};

// rates: one a invocation, finite and above 0, at least one. From 6 invocations on the interval runs between order
// statistics: whatever the distribution, it holds the median of all such invocations with at least 95 % (the binomial
// of signs; with 6, lowest and highest hold it with 96.9 %). With 2 to 5 there is no such interval at 95 %; there it is
// Student's t on the logarithms, which is right where these are about normal, and the estimate is their mean.
RateEstimate estimate_rate(const std::vector<double>& rates);

// The quotient of two independent positive estimates, each with its 95 % interval, on the scale of logarithms by the
// method of variance estimates recovery (Zou and Donner, Construction of confidence limits about effect measures: a
// general approach, Statistics in Medicine 27, 2008, equation 7). An interval that is absent has no width.
struct UncertainRate {
  double value = 0;
  std::optional<Interval> interval;
};
Interval quotient_interval(const UncertainRate& numerator, const UncertainRate& denominator);

}  // namespace steelyard
