#include "bench/self/judging/exact_binomial.hpp"

#include <algorithm>
#include <cmath>

namespace steelyard::judging {
namespace {

double probability(std::int64_t count, std::int64_t tries, double chance) {
  if (chance <= 0) return count == 0 ? 1 : 0;
  if (chance >= 1) return count == tries ? 1 : 0;
  const auto k = static_cast<double>(count);
  const auto n = static_cast<double>(tries);
  return std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) + k * std::log(chance) +
                  (n - k) * std::log1p(-chance));
}

// The chance at which an increasing function of it reaches `wanted`.
template <class F>
double solve(const F& increasing, double wanted) {
  double low = 0;
  double high = 1;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (increasing(middle) < wanted ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

double binomial_upper_tail(std::int64_t count, std::int64_t tries, double chance) {
  double sum = 0;
  for (std::int64_t k = std::max<std::int64_t>(count, 0); k <= tries; ++k) sum += probability(k, tries, chance);
  return std::min(sum, 1.0);
}

double binomial_lower_tail(std::int64_t count, std::int64_t tries, double chance) {
  double sum = 0;
  for (std::int64_t k = 0; k <= std::min(count, tries); ++k) sum += probability(k, tries, chance);
  return std::min(sum, 1.0);
}

Interval clopper_pearson(std::int64_t count, std::int64_t tries, double confidence) {
  const double tail = (1 - confidence) / 2;
  Interval interval{0, 1};
  if (count > 0) {
    interval.low = solve([&](double chance) { return binomial_upper_tail(count, tries, chance); }, tail);
  }
  if (count < tries) {
    interval.high = solve([&](double chance) { return 1 - binomial_lower_tail(count, tries, chance); }, 1 - tail);
  }
  return interval;
}

}  // namespace steelyard::judging
