// Quantiles of a sorted sample, interpolated at (n-1)p: R. J. Hyndman and Y. Fan, Sample quantiles in statistical
// packages, 1996, type 7.
//
//     quantile_of_sorted(ascending, 0.75) - quantile_of_sorted(ascending, 0.25)
#pragma once

#include <span>
#include <vector>

namespace steelyard {

// ascending: n values, at least one. 0 <= p <= 1; of one value that value.
double quantile_of_sorted(std::span<const double> ascending, double p);

// The middle of the values, or the mean of the two middle ones. Precondition: not empty, no NaN. Cost O(n).
double median(std::vector<double> values);

// Of the normal distribution.

// median |x - y| of two standard normal values: sqrt(2) times the third quartile.
inline constexpr double kMedianOfPairs = 0.9538726;
// The error of a median of many values over that of their mean, and its square, pi / 2.
inline constexpr double kErrorOfMedian = 1.2533;
inline constexpr double kVarianceOfMedian = 1.5707963267948966;

}  // namespace steelyard
