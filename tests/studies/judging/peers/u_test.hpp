// The U test of H. B. Mann and D. R. Whitney (On a test of whether one of two random variables is stochastically larger
// than the other, 1947).
#pragma once

#include <span>

namespace steelyard::judging {

// Two-sided p by the normal approximation, corrected for ties and continuity. 1 where all values are equal.
double u_test_normal_p(std::span<const double> one, std::span<const double> other);
// Two-sided p from the distribution of U itself. Precondition: no ties, neither empty. Cost O(n^2 m^2).
double u_test_exact_p(std::span<const double> one, std::span<const double> other);
bool has_ties(std::span<const double> one, std::span<const double> other);

}  // namespace steelyard::judging
