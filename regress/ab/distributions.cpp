#include "regress/ab/distributions.hpp"

#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cassert>
#include <cmath>

#include "regress/ab/steady_digits.hpp"

namespace steelyard::regress {

double student_two_sided_p(double t, double degrees) {
  assert(degrees > 0);
  if (std::isinf(t)) return 0;
  const boost::math::students_t distribution(degrees);
  return steady(2 * boost::math::cdf(boost::math::complement(distribution, std::fabs(t))));
}

double student_quantile(double probability, double degrees) {
  assert(probability > 0 && probability < 1 && degrees > 0);
  return steady(boost::math::quantile(boost::math::students_t(degrees), probability));
}

double normal_two_sided_p(double z) { return steady(std::erfc(std::fabs(z) / std::sqrt(2.0))); }

double normal_quantile(double probability) {
  assert(probability > 0 && probability < 1);
  return steady(boost::math::quantile(boost::math::normal(), probability));
}

double student_or_normal_quantile(double probability, double degrees) {
  return degrees > 0 ? student_quantile(probability, degrees) : normal_quantile(probability);
}

double beta_quantile(double probability, double alpha, double beta) {
  assert(probability > 0 && probability < 1 && alpha > 0 && beta > 0);
  return steady(boost::math::quantile(boost::math::beta_distribution<>(alpha, beta), probability));
}

}  // namespace steelyard::regress
