// How near the rates of a benchmark come to the ceilings of its device, with what both measurements leave open, and
// which of the two bounds it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/model/interval.hpp"
#include "bench/model/target.hpp"
#include "regress/targets/benchmark_rates.hpp"
#include "regress/targets/find_ceiling.hpp"

namespace steelyard::regress {

// One rate against one ceiling, whatever they are of. Precondition: rates is not empty.
RateUtilization utilization_of(const std::vector<double>& rates, const FoundCeiling& found);

// Both rates of a benchmark. Its bound compares the intensity with the ridge of the two ceilings; it is kBoundByNeither
// where both rates are below a twentieth of theirs, and empty where a ceiling is unknown, or where the rate shows that
// the data are not in that level.
UtilizationRow utilization_row(const BenchmarkRates& rates, const CeilingChoice& choice,
                               const std::vector<DeviceCeilings>& devices);

// How sure a rate is, over the invocations that measured it, and how sure its share of a ceiling is when the ceiling
// was measured as well.

struct RateEstimate {
  double value = 0;                  // median of the invocations' medians
  std::optional<Interval> interval;  // 95 %; absent below 2 invocations
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

}  // namespace steelyard::regress
