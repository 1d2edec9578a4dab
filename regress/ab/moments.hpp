// What several judges reckon of a few values: their mean with an interval, and how much neighbours resemble each other.
#pragma once

#include <optional>
#include <span>

#include "bench/model/interval.hpp"

namespace steelyard::regress {

struct MeanAndInterval {
  double mean = 0;
  std::optional<Interval> interval;  // Student's; absent below two values
};
// Precondition: at least one value, 0 < confidence < 1.
MeanAndInterval student_interval(std::span<const double> values, double confidence);

// Sums over one series or several, each around its own mean.
struct NeighbourSums {
  double squares = 0;
  double products = 0;  // of neighbours
};
void add_neighbours(std::span<const double> values, double mean, NeighbourSums& sums);

// The correlation of neighbours in a series of n values, or several of n each; from 0 to `most`. As the sums have it,
// it is too small by about (1 + 4 r) / n, because the mean is estimated too (F. H. C. Marriott and J. A. Pope, Bias in
// the estimation of autocorrelations, Biometrika 41, 1954). 0 where the values do not differ.
double neighbour_correlation(const NeighbourSums& sums, double n, double most);

}  // namespace steelyard::regress
