#include "bench/harness/autocorrelation.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

namespace steelyard {
namespace {

constexpr double kOnePercent = 2.33;  // standard normal deviate, one-sided
constexpr double kMostLagOne = 0.999;

// Variance of the mean of n scores of an AR(1) over that of independent ones; `likeness` takes the correlation of two
// normals to that of their scores.
template <class Likeness>
double variance_inflation(double lag_one, std::size_t n, Likeness likeness) {
  constexpr double kNegligible = 1e-4;
  double sum = 0;
  double correlation = 1;
  for (std::size_t lag = 1; lag < n; ++lag) {
    correlation *= lag_one;
    if (correlation < kNegligible) break;
    sum += (1 - static_cast<double>(lag) / static_cast<double>(n)) * likeness(correlation);
  }
  return 1 + 2 * sum;
}

// Ranks about their mean, ties sharing theirs, in the order of the times.
std::vector<double> centred_ranks(std::span<const double> times) {
  const std::size_t n = times.size();
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return times[a] < times[b]; });
  std::vector<double> ranks(n);
  for (std::size_t begin = 0; begin < n;) {
    std::size_t end = begin;
    while (end < n && times[order[end]] == times[order[begin]]) ++end;
    const double rank = 0.5 * static_cast<double>(begin + end - 1) - 0.5 * static_cast<double>(n - 1);
    for (; begin < end; ++begin) ranks[order[begin]] = rank;
  }
  return ranks;
}

double lagged_product(const std::vector<double>& ranks, std::size_t lag) {
  double sum = 0;
  for (std::size_t i = 0; i + lag < ranks.size(); ++i) sum += ranks[i] * ranks[i + lag];
  return sum;
}

double inflation_at(double lag_one, std::size_t n) {
  return median_variance_inflation(std::clamp(lag_one, 0.0, kMostLagOne), n);
}

// Change of the inflation over one standard error of lag_one, over the inflation itself.
double error_of_inflation(double lag_one, double error, double inflation, std::size_t n) {
  if (lag_one <= 0) return 0;
  const double change = inflation_at(lag_one + 0.5 * error, n) - inflation_at(lag_one - 0.5 * error, n);
  // Cut off at 0, the lower half is missing from the difference.
  return change / inflation * (lag_one < 0.5 * error ? 2 : 1);
}

// Whether the autocorrelations up to lag n/10 sum to more than those of the AR(1): a slow drift under fast noise shows
// there long before it shows between neighbours. The mean that was taken off lowers each by inflation/n (M. S.
// Bartlett 1946 for the variance of the sum under white noise, widened by the model's own memory).
bool longer_lags_exceed(const std::vector<double>& all_ranks, double lag_one) {
  const std::vector<double> ranks(all_ranks.begin(), all_ranks.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                                             all_ranks.size(), kMostTimesForLags)));
  const auto n = static_cast<double>(ranks.size());
  const double likeness = std::clamp(lag_one, 0.0, 0.95);  // above it the sum of a tenth of n says nothing
  const std::size_t lags = ranks.size() / 10;
  const double variance = lagged_product(ranks, 0);
  double found = 0;
  double expected = 0;
  double power = 1;
  for (std::size_t lag = 1; lag <= lags; ++lag) {
    found += lagged_product(ranks, lag) / variance;
    power *= likeness;
    expected += power;
  }
  const double part = static_cast<double>(lags) / n;
  expected -= part * (1 + 2 * expected);
  return found - expected > kOnePercent * std::sqrt(part * (1 + likeness) / (1 - likeness));
}

}  // namespace

double median_variance_inflation(double lag_one, std::size_t n) {
  return variance_inflation(lag_one, n, [](double c) { return 2 / std::numbers::pi * std::asin(c); });
}

double rank_variance_inflation(double lag_one, std::size_t n) {
  return variance_inflation(lag_one, n, [](double c) { return 6 / std::numbers::pi * std::asin(c / 2); });
}

Autocorrelation autocorrelation(std::span<const double> times) {
  Autocorrelation result;
  if (times.size() < 3) return result;
  const std::vector<double> ranks = centred_ranks(times);
  const double variance = lagged_product(ranks, 0);
  if (variance <= 0) return result;
  const auto n = static_cast<double>(times.size());
  // The product-moment correlation of normals whose ranks correlate so (K. Pearson 1907).
  const double seen = 2 * std::sin(std::numbers::pi * lagged_product(ranks, 1) / variance / 6);
  // Bias of the estimate about the sample's own mean (M. G. Kendall, Note on bias in the estimation of
  // autocorrelation, 1954).
  result.lag_one = seen + (1 + 3 * seen) / n;
  result.is_visible = seen > kOnePercent / std::sqrt(n);
  const double error = std::sqrt(std::max(0.0, 1 - result.lag_one * result.lag_one) / n);
  const double used = result.lag_one < error ? 0 : result.lag_one;
  result.inflation = inflation_at(used, times.size());
  result.rank_inflation = rank_variance_inflation(std::clamp(used, 0.0, kMostLagOne), times.size());
  result.inflation_error = error_of_inflation(used, error, result.inflation, times.size());
  result.drifts = times.size() >= kLeastTimesToSeeAutocorrelation && longer_lags_exceed(ranks, result.lag_one);
  return result;
}

}  // namespace steelyard
