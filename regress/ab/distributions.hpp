// Student's t, the normal and the beta distribution, as two-sided tails and quantiles. Boost.Math's, behind a few
// functions: its headers cost seconds to compile, so only one file includes them. Results have the digits that every
// machine agrees on (steady_digits.hpp).
#pragma once

namespace steelyard::regress {

// P(|T| >= |t|) for Student's t. Precondition: degrees > 0.
double student_two_sided_p(double t, double degrees);
// t with P(T <= t) = probability. Precondition: 0 < probability < 1, degrees > 0.
double student_quantile(double probability, double degrees);
double normal_two_sided_p(double z);
double normal_quantile(double probability);
// Student's, or the normal one where degrees is 0: the error is as good as known.
double student_or_normal_quantile(double probability, double degrees);
// x with P(X <= x) = probability for the beta distribution. Precondition: 0 < probability < 1, alpha and beta > 0.
double beta_quantile(double probability, double alpha, double beta);

}  // namespace steelyard::regress
