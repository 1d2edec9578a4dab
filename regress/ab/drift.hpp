// Drift between occasions, for sides that were not measured at the same time. It is confounded with the change: no
// number of samples removes it. What all benchmarks share is estimated and taken off; what each drifts by itself
// widens its interval. Two sources: the benchmarks of the run, where there are enough of them, and what was measured
// once for machines at large (or by `steelyard calibrate` for this one).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "bench/model/run.hpp"
#include "regress/ab/effect.hpp"

namespace steelyard::regress {

// From this many benchmarks on, their common movement and its spread can be told (robust estimates of fewer mean
// little).
inline constexpr std::size_t kMinBenchmarksForDrift = 5;

struct Drift {
  double common = 0;            // log ratio that the benchmarks share
  double common_error = 0;      // standard error of it
  double deviation = 0;         // standard deviation of a benchmark's own drift around that
  double degrees = 0;           // of freedom of the deviation; 0: as good as known
  std::int64_t benchmarks = 0;  // that it was told from
  bool estimated = false;       // from these benchmarks; else `deviation` is the usual one of such layouts
  bool removed = false;  // `common` is taken off; false although estimated: it is more than machines drift, so a change
};

// What one benchmark says about drift: its effect as seen and how far neighbouring processes resemble each other.
struct DriftEvidence {
  double log_ratio = 0;
  double error = 0;   // standard error of it, times the square root of the variance factor
  double spread = 0;  // of the processes of a side: spread_of_processes()
};

// `evidence`: of all benchmarks that were compared in one metric, in any order. `usual`: standard deviation of the
// log ratio of equal builds in such a layout where a calibration measured it.
Drift estimate_drift(std::span<const DriftEvidence> evidence, Layout layout, std::optional<double> usual = {});

// By how much the variance of a mean of these invocations exceeds that of independent ones, from the correlation of
// neighbours in time: (1 + r) / (1 - r), where r is 0.3 of what both sides show together (at most 0.8): so few
// invocations can hardly tell it, and the whole of it costs more power than it saves alarms. Below 8 invocations: 1.
double autocorrelation_factor(std::span<const LogInvocation> baseline, std::span<const LogInvocation> candidate);

// How far the levels of a side's processes lie apart, of the side where they lie farther: the interquartile range as a
// standard deviation. What a machine does within a side it does between sides.
double spread_of_processes(std::span<const LogInvocation> baseline, std::span<const LogInvocation> candidate);

struct OwnNoise {
  double variance_factor = 1;  // autocorrelation_factor()
  double spread = 0;           // spread_of_processes()
};

// What the widened error is made of, as standard errors of the log ratio; their root sum of squares is that error.
struct ErrorParts {
  double scatter = 0;  // how far the invocations of a side lie apart, with what that unrest may have done between sides
  double drift = 0;    // that of single benchmarks, and how well the common one is known
};
// Precondition: the effect has a standard error. `of_machines`: drift_of_machines(); what the deviation exceeds it by,
// of too few benchmarks to tell their drift, comes from how far invocations lie apart. Absent: all of it is called
// drift.
ErrorParts parts_of_error(const Effect& effect, const Drift& drift, const OwnNoise& own,
                          std::optional<double> of_machines = {});

// Standard deviation of a log ratio of equal builds in such a layout, whatever these benchmarks show: what a
// calibration measured (`usual`), else what machines at large do.
double drift_of_machines(Layout layout, std::optional<double> usual);

// The effect less the common drift, with p and interval that the benchmark's own drift cannot explain. The margin of
// equivalence is never met. Without a standard error: no p, no interval.
Effect widen(const Effect& effect, const Drift& drift, const OwnNoise& own, double confidence);

}  // namespace steelyard::regress
