// The two-sample test of A. N. Kolmogorov and N. V. Smirnov by its asymptotic distribution, with the correction for
// small samples of M. A. Stephens (Use of the Kolmogorov-Smirnov, Cramer-von Mises and related statistics without
// extensive tables, 1970).
#pragma once

#include <vector>

namespace steelyard::judging {

// The largest distance between the two distribution functions. Precondition: neither empty.
double largest_distance(std::vector<double> one, std::vector<double> other);
// P(K >= x) of Kolmogorov's distribution.
double kolmogorov_tail(double x);
double kolmogorov_smirnov_p(const std::vector<double>& one, const std::vector<double>& other);

}  // namespace steelyard::judging
