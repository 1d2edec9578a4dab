#include "regress/calibration/observed_rate.hpp"

#include <algorithm>
#include <cassert>

#include "regress/ab/distributions.hpp"
#include "regress/ab/steady_digits.hpp"

namespace steelyard {
namespace {

// Variance of the groups' counts over what it would be if all tries were independent, at least 1.
double design_effect(std::span<const TriedGroup> groups, double share) {
  if (groups.size() < 2 || share <= 0 || share >= 1) return 1;
  double squares = 0;
  double expected = 0;
  for (const TriedGroup& group : groups) {
    const double tries = static_cast<double>(group.tries);
    const double excess = static_cast<double>(group.count) - tries * share;
    squares += excess * excess;
    expected += tries * share * (1 - share);
  }
  const double count = static_cast<double>(groups.size());
  return std::max(1.0, squares / expected * count / (count - 1));
}

}  // namespace

Interval binomial_interval(double count, double tries, double confidence) {
  assert(count >= 0 && count <= tries && confidence > 0 && confidence < 1);
  const double tail = (1 - confidence) / 2;
  Interval interval{0, 1};
  if (count > 0) interval.low = steady(beta_quantile(tail, count, tries - count + 1));
  if (count < tries) interval.high = steady(beta_quantile(1 - tail, count + 1, tries - count));
  return interval;
}

ObservedRate observed_rate(std::int64_t count, std::int64_t tries) {
  return {count, tries, binomial_interval(static_cast<double>(count), static_cast<double>(tries))};
}

ObservedRate observed_rate(std::span<const TriedGroup> groups) {
  ObservedRate rate;
  for (const TriedGroup& group : groups) {
    rate.count += group.count;
    rate.tries += group.tries;
  }
  const double effect = design_effect(groups, rate.share());
  rate.interval = binomial_interval(static_cast<double>(rate.count) / effect, static_cast<double>(rate.tries) / effect);
  return rate;
}

}  // namespace steelyard
