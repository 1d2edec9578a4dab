#include "tests/studies/judging/exact_binomial.hpp"

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

}  // namespace steelyard::judging
