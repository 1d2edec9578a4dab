// Student's t and the normal distribution, as two-sided tails and quantiles. Boost.Math's, behind four functions: its
// headers cost seconds to compile, so only one file includes them.
#pragma once

namespace steelyard {

// P(|T| >= |t|) for Student's t. Precondition: degrees > 0.
double student_two_sided_p(double t, double degrees);
// t with P(T <= t) = probability. Precondition: 0 < probability < 1, degrees > 0.
double student_quantile(double probability, double degrees);
double normal_two_sided_p(double z);
double normal_quantile(double probability);

}  // namespace steelyard
