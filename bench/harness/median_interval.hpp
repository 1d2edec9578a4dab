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

namespace steelyard {

// How alike neighbouring times of one measurement are, and what that takes from them: dependent times tell less than as
// many independent ones. Estimated from ranks, so that neither outliers nor skew decide; modelled as a hidden Gaussian
// AR(1), which two neighbours determine, with a second look at longer lags for what that model misses.
//
//     const Autocorrelation likeness = autocorrelation(measurement.raw_times);
//     const double effective = n / likeness.inflation;

struct Autocorrelation {
  double lag_one = 0;  // of the hidden AR(1), bias removed; may fall outside [-1, 1] by that
  // Variance of the median over that of independent times; at least 1, and 1 where lag_one is within one standard error
  // of 0 or below it.
  double inflation = 1;
  double inflation_error = 0;  // standard error of `inflation` over itself
  double rank_inflation = 1;   // of the mean of the ranks, which a rank test compares
  bool is_visible = false;     // lag_one is above 0 beyond chance (1 %)
  bool drifts = false;         // longer lags are more alike than lag_one explains (1 %); false below 40 times
};

// times: in the order they were taken. Equal times, or fewer than three, give no likeness. Cost O(n log n), and O(n^2 /
// 10) up to kMaxTimesForLags times, of which the first kMaxTimesForLags stand for more.
Autocorrelation autocorrelation(std::span<const double> times);

inline constexpr std::size_t kMaxTimesForLags = 5000;

// Below this many times a lag_one of 0.5 is seen too seldom to promise anything.
inline constexpr std::size_t kMinTimesToSeeAutocorrelation = 40;

// Variance of the median of n times of a Gaussian AR(1) over that of n independent ones: 1 + 2 sum over lags k of
// (1 - k/n) (2/pi) asin(lag_one^k), the correlation of the signs of two normals (T. J. Stieltjes; W. F. Sheppard 1899).
// 0 <= lag_one < 1, n at least 1.
double median_variance_inflation(double lag_one, std::size_t n);
// Inflation of the mean rank: 6/pi asin(lag_one^k / 2), the correlation of the ranks of two normals (K. Pearson 1907).
double rank_variance_inflation(double lag_one, std::size_t n);

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
