// Drift between occasions, for sides that were not measured at the same time. It is confounded with the change: no
// number of samples removes it, so the interval is widened by as much as drift is known to do. Two sources: what all
// benchmarks of the run share, where there are enough of them, and what was measured once for machines at large.
#pragma once

#include <optional>
#include <span>

#include "bench/model/run.hpp"
#include "regress/ab/effect.hpp"

namespace steelyard {

// From this many benchmarks on, their common movement and its spread can be told (a median and a median deviation of
// fewer mean little).
inline constexpr std::size_t kLeastBenchmarksForDrift = 5;

struct Drift {
  double common = 0;     // log ratio that the benchmarks share
  double deviation = 0;  // standard deviation of a benchmark's own drift around that
  double degrees = 0;    // of freedom of the deviation; 0: as good as known
  bool estimated = false;
};

// `effects`: of all benchmarks that were compared in one metric under the layout, in any order.
Drift estimate_drift(std::span<const Effect> effects, Layout layout);

// By how much the variance of a mean of these invocations exceeds that of independent ones, from the correlation of
// neighbours in time: (1 + r) / (1 - r), r between 0 and 0.8. Below 4 invocations: 1.
double autocorrelation_factor(std::span<const LogInvocation> invocations);

// p and interval that drift cannot explain: the interval covers both the effect as seen and the effect less what all
// benchmarks share, each widened by the error of the measurement (times sqrt(variance_factor)) and the drift's
// deviation. The margin of equivalence is never met. Without a standard error: no p, no interval.
Effect widen(const Effect& effect, const Drift& drift, double variance_factor, double confidence);

}  // namespace steelyard
