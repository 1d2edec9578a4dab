// Confidence interval of the median of ONE measurement's times, in the order they were taken. It says how well these
// times pin their own median, while this process ran; a second process may have another median, and no interval of one
// process knows that (regress/ compares invocations). Not for counted metrics.
//
//     const MedianInterval interval = median_interval(measurement.raw_times);
//     if (!interval.bounds) print(interval.reason);
//
// Independent times: order statistics, interpolated to the nominal level (T. P. Hettmansperger and S. J. Sheather,
// Confidence intervals based on interpolated order statistics, 1986; J. Nyblom, Note on interpolated order statistics,
// 1992). Dependent times: the same, as wide as if there were fewer of them (docs/guide/tables.md has the formulas and
// what was measured of its coverage). Where the times cannot carry an interval it says so and gives none.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "bench/harness/autocorrelation.hpp"

namespace steelyard {

// Why there is no interval, or why it must be read with care; the gravest that applies.
enum class MedianDoubt {
  none,
  too_few,         // no interval: below 6 times no two of them enclose the median at 95 %
  autocorrelated,  // no interval: neighbours are so alike that too little is left of the times
  drift,           // no interval: the level moves during the measurement more slowly than its neighbours show
  gap,             // two levels, and the bounds reach from one to the other: not interpolated
  hardly_checked   // so few times hardly show whether neighbours are alike; too narrow where they are
};
std::string_view to_text(MedianDoubt doubt);  // "too few", ...

struct MedianBounds {
  double low = 0;
  double high = 0;
  bool operator==(const MedianBounds&) const = default;
};

struct MedianInterval {
  double median = 0;
  std::optional<MedianBounds> bounds;
  double confidence = 0.95;  // of the bounds: the nominal one, or where they are not interpolated the exact one
  MedianDoubt doubt = MedianDoubt::none;
  std::string reason;         // of the doubt, one sentence a person can read; empty: none
  Autocorrelation likeness;   // of the times
  double inflation = 1;       // the variance of the median over that of independent times; at least 1
  double effective_size = 0;  // n over inflation

  bool independence_checked = false;  // there were enough times to see neighbours that are alike
  // Whether the bounds are claimed to cover at `confidence`, on no assumption that was not checked.
  bool is_claimed() const { return bounds && independence_checked; }
};

// times: in the order they were taken, finite. Precondition: not empty, 0.5 <= confidence < 1. Never NaN: of equal
// times both bounds are that time. Cost O(n log n).
MedianInterval median_interval(std::span<const double> times, double confidence = 0.95);

// How much wider an interval of standard normal half-width `deviate` must be because the inflation is itself an
// estimate: 1 + 3 (deviate^2 + 1) inflation_error^2 / 8. docs/guide/tables.md says where the 3 comes from.
double widening(double inflation_error, double deviate);

// The half-width of the central `confidence` of a standard normal, e.g. 1.96 for 0.95.
double normal_deviate(double confidence);

}  // namespace steelyard
