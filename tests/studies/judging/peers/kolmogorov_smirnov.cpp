#include "tests/studies/judging/peers/kolmogorov_smirnov.hpp"

#include <algorithm>
#include <cmath>

namespace steelyard::judging {

double largest_distance(std::vector<double> one, std::vector<double> other) {
  std::sort(one.begin(), one.end());
  std::sort(other.begin(), other.end());
  double largest = 0;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < one.size() && j < other.size()) {
    const double at = std::min(one[i], other[j]);
    while (i < one.size() && one[i] == at) ++i;
    while (j < other.size() && other[j] == at) ++j;
    largest = std::max(largest, std::fabs(static_cast<double>(i) / static_cast<double>(one.size()) -
                                          static_cast<double>(j) / static_cast<double>(other.size())));
  }
  return largest;
}

double kolmogorov_tail(double x) {
  if (x < 0.2) return 1;  // the series converges slowly there, and 1 - tail is below 10^-12
  double sum = 0;
  for (int k = 1; k <= 100; ++k) {
    const double term = std::exp(-2.0 * k * k * x * x);
    sum += k % 2 == 1 ? term : -term;
    if (term < 1e-16) break;
  }
  return std::clamp(2 * sum, 0.0, 1.0);
}

double kolmogorov_smirnov_p(const std::vector<double>& one, const std::vector<double>& other) {
  const auto n = static_cast<double>(one.size());
  const auto m = static_cast<double>(other.size());
  const double root = std::sqrt(n * m / (n + m));
  return kolmogorov_tail((root + 0.12 + 0.11 / root) * largest_distance(one, other));
}

}  // namespace steelyard::judging
