// How alike neighbouring times of one measurement are, and what that takes from them: dependent times tell less than as
// many independent ones. Estimated from ranks, so that neither outliers nor skew decide; modelled as a hidden Gaussian
// AR(1), which two neighbours determine, with a second look at longer lags for what that model misses.
//
//     const Autocorrelation likeness = autocorrelation(measurement.raw_times);
//     const double effective = n / likeness.inflation;
#pragma once

#include <cstddef>
#include <span>

namespace steelyard {

struct Autocorrelation {
  double lag_one = 0;  // of the hidden AR(1), bias removed; may fall outside [-1, 1] by that
  // Variance of the median over that of independent times; at least 1, and 1 where lag_one is within one standard error
  // of 0 or below it.
  double inflation = 1;
  double inflation_error = 0;  // standard error of `inflation` over itself
  double rank_inflation = 1;   // the same for the mean of the ranks, which a rank test compares
  bool is_visible = false;     // lag_one is above 0 beyond chance (1 %)
  bool drifts = false;         // longer lags are more alike than lag_one explains (1 %); false below 40 times
};

// times: in the order they were taken. Equal times, or fewer than three, give no likeness. Cost O(n log n), and O(n^2 /
// 10) up to kMostTimesForLags times, of which the first kMostTimesForLags stand for more.
Autocorrelation autocorrelation(std::span<const double> times);

inline constexpr std::size_t kMostTimesForLags = 5000;

// Below this many times a lag_one of 0.5 is seen too seldom to promise anything.
inline constexpr std::size_t kLeastTimesToSeeAutocorrelation = 40;

// Variance of the median of n times of a Gaussian AR(1) over that of n independent ones: 1 + 2 sum over lags k of
// (1 - k/n) (2/pi) asin(lag_one^k), the correlation of the signs of two normals (T. J. Stieltjes; W. F. Sheppard 1899).
// 0 <= lag_one < 1, n at least 1.
double median_variance_inflation(double lag_one, std::size_t n);
// The same of the mean rank: 6/pi asin(lag_one^k / 2), the correlation of the ranks of two normals (K. Pearson 1907).
double rank_variance_inflation(double lag_one, std::size_t n);

}  // namespace steelyard
