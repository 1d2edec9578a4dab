#include "bench/harness/median_interval.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "bench/model/text.hpp"

namespace steelyard {
namespace {

constexpr double kOnePercent = 2.33;  // standard normal deviate, one-sided
constexpr double kMaxLagOne = 0.999;

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
  return median_variance_inflation(std::clamp(lag_one, 0.0, kMaxLagOne), n);
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
  const std::vector<double> ranks(
      all_ranks.begin(), all_ranks.begin() + static_cast<std::ptrdiff_t>(std::min(all_ranks.size(), kMaxTimesForLags)));
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
  result.rank_inflation = rank_variance_inflation(std::clamp(used, 0.0, kMaxLagOne), times.size());
  result.inflation_error = error_of_inflation(used, error, result.inflation, times.size());
  result.drifts = times.size() >= kMinTimesToSeeAutocorrelation && longer_lags_exceed(ranks, result.lag_one);
  return result;
}

namespace {

// Above this many times the normal approximation of the ranks is exact to a hundredth of a rank.
constexpr std::size_t kMaxExactTimes = 1000;

// P(B = k) of a binomial of n and one half.
double binomial_half(std::size_t n, std::size_t k) {
  const auto size = static_cast<double>(n);
  const auto count = static_cast<double>(k);
  return std::exp(std::lgamma(size + 1) - std::lgamma(count + 1) - std::lgamma(size - count + 1) -
                  size * std::numbers::ln2);
}

// The bounds as ranks, 1-based and symmetric: from `low` to n + 1 - low, a fraction standing between two times.
struct Ranks {
  double low = 1;          // interpolated to the nominal level
  std::size_t outer = 1;   // the closest whole rank that reaches the level; 0: none does
  double outer_level = 0;  // its exact one
};

Ranks ranks_of(std::size_t n, double confidence) {
  const auto size = static_cast<double>(n);
  if (n > kMaxExactTimes) {
    const double low = 0.5 * (size + 1) - 0.5 * normal_deviate(confidence) * std::sqrt(size);
    return {low, static_cast<std::size_t>(low), confidence};
  }
  // The level of a rank leaves out the tails below it and above its mirror: each step inwards adds to both.
  double tail = binomial_half(n, 0);
  if (1 - 2 * tail < confidence) return {0, 0, 0};
  std::size_t outer = 1;
  double next_tail = tail + binomial_half(n, 1);
  while (2 * (outer + 1) <= n && 1 - 2 * next_tail >= confidence) {
    ++outer;
    tail = next_tail;
    next_tail += binomial_half(n, outer);
  }
  const double outer_level = 1 - 2 * tail;
  const double inner_level = 2 * (outer + 1) <= n + 1 ? std::max(0.0, 1 - 2 * next_tail) : 0.0;
  const double part = (outer_level - confidence) / (outer_level - inner_level);
  const auto rank = static_cast<double>(outer);
  // Hettmansperger and Sheather 1986, equation 7.
  const double weight = (size - rank) * part / (rank + (size - 2 * rank) * part);
  return {rank + weight, outer, outer_level};
}

double time_at(const std::vector<double>& sorted, double rank) {
  const auto below = static_cast<std::size_t>(rank);
  const double low = sorted[below - 1];
  if (below >= sorted.size()) return low;
  return low + (rank - static_cast<double>(below)) * (sorted[below] - low);
}

// Whether one spacing among the times between two ranks is too large a part of their range for a density without a
// gap: Fisher's test of the largest of m shares (R. A. Fisher, Tests of significance in harmonic analysis, 1929; first
// term, an upper bound). A time alone beyond it is no level.
bool has_gap(const std::vector<double>& sorted, std::size_t first, std::size_t last) {
  // Of calling a gap where there is none, by evenly spread times; tables have many cells, and the times of skewed noise
  // lie wider towards one end.
  constexpr double kLevel = 0.002;
  constexpr std::size_t kMinTimesOfLevel = 2;
  const double range = sorted[last] - sorted[first];
  const std::size_t spacings = last - first;
  if (range <= 0 || spacings < 2) return false;
  double largest = 0;
  std::size_t below = 0;
  for (std::size_t i = first; i < last; ++i) {
    if (sorted[i + 1] - sorted[i] <= largest) continue;
    largest = sorted[i + 1] - sorted[i];
    below = i + 1;
  }
  if (std::min(below, sorted.size() - below) < kMinTimesOfLevel) return false;
  const auto m = static_cast<double>(spacings);
  return m * std::pow(1 - largest / range, m - 1) < kLevel;
}

double median_of_sorted(const std::vector<double>& sorted) {
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : 0.5 * (sorted[half - 1] + sorted[half]);
}

std::string reason_of(MedianDoubt doubt, std::size_t n, double inflation, double confidence) {
  const std::string times = std::to_string(n) + (n == 1 ? " time" : " times");
  switch (doubt) {
    case MedianDoubt::none:
      return "";
    case MedianDoubt::too_few:
      return times + ": too few to enclose the median";
    case MedianDoubt::autocorrelated:
      return "neighbouring times are so alike that " + times + " count as " +
             decimals_text(static_cast<double>(n) / inflation, 1);
    case MedianDoubt::drift:
      return "the level drifts during the measurement";
    case MedianDoubt::gap:
      return "the times have two levels and the median may lie at either; the interval is exact at " +
             decimals_text(100 * confidence, 1) + " %";
    case MedianDoubt::hardly_checked:
      return times + ": so few hardly show whether neighbours are alike; where they are, the interval is too narrow";
  }
  return "";
}

// An inflation known this badly, or this little left, gives intervals that cover less than they say.
constexpr double kMaxInflationError = 0.36;
constexpr double kMinEffectiveSize = 8;

MedianInterval without_bounds(MedianInterval result, MedianDoubt doubt, std::size_t n) {
  result.doubt = doubt;
  result.reason = reason_of(doubt, n, result.inflation, result.confidence);
  return result;
}

}  // namespace

// Student's first correction is (z^2 + 1) / (4 degrees), with 2 / error^2 degrees; three times that is what brought the
// coverage of AR(1) noise to its level, because the inflation comes out too small in just those samples whose median
// lies far off.
double widening(double inflation_error, double deviate) {
  return 1 + 3 * (deviate * deviate + 1) * inflation_error * inflation_error / 8;
}

double normal_deviate(double confidence) {
  assert(confidence >= 0 && confidence < 1);
  double low = 0;
  double high = 40;
  for (int step = 0; step < 100; ++step) {
    const double middle = 0.5 * (low + high);
    (std::erfc(middle / std::numbers::sqrt2) > 1 - confidence ? low : high) = middle;
  }
  return low;
}

std::string_view to_text(MedianDoubt doubt) {
  constexpr std::array<std::string_view, 6> kTexts{"none",  "too few", "autocorrelated",
                                                   "drift", "gap",     "too few to check independence"};
  return kTexts.at(static_cast<std::size_t>(doubt));
}

MedianInterval median_interval(std::span<const double> times, double confidence) {
  assert(!times.empty() && confidence >= 0.5 && confidence < 1);
  std::vector<double> sorted(times.begin(), times.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t n = sorted.size();
  MedianInterval result;
  result.median = median_of_sorted(sorted);
  result.confidence = confidence;
  result.effective_size = static_cast<double>(n);
  const Ranks ranks = ranks_of(n, confidence);
  if (ranks.outer == 0) return without_bounds(result, MedianDoubt::too_few, n);

  const Autocorrelation likeness = autocorrelation(times);
  result.likeness = likeness;
  result.independence_checked = n >= kMinTimesToSeeAutocorrelation;
  result.inflation = likeness.inflation;
  result.effective_size = static_cast<double>(n) / likeness.inflation;
  // So few times cannot say how alike neighbours are, only that they are.
  if (!result.independence_checked && likeness.is_visible)
    return without_bounds(result, MedianDoubt::autocorrelated, n);
  if (likeness.drifts) return without_bounds(result, MedianDoubt::drift, n);
  const double error = result.inflation > 1 ? likeness.inflation_error : 0;
  const double centre = 0.5 * static_cast<double>(n + 1);
  double low =
      centre - (centre - ranks.low) * std::sqrt(result.inflation) * widening(error, normal_deviate(confidence));
  const bool too_dependent = result.inflation > 1 && result.effective_size < kMinEffectiveSize;
  const bool is_too_rough = low < 1 || too_dependent || error > kMaxInflationError;
  if (result.independence_checked && is_too_rough) return without_bounds(result, MedianDoubt::autocorrelated, n);
  low = std::max(low, 1.0);  // the widest that so few times have
  const auto outer = static_cast<std::size_t>(low);
  if (has_gap(sorted, outer - 1, n - outer)) {
    low = static_cast<double>(outer);
    if (result.inflation <= 1) result.confidence = ranks.outer_level;
    result.doubt = MedianDoubt::gap;
  } else if (!result.independence_checked) {
    result.doubt = MedianDoubt::hardly_checked;
  }
  result.bounds = MedianBounds{time_at(sorted, low), time_at(sorted, static_cast<double>(n + 1) - low)};
  result.reason = reason_of(result.doubt, n, result.inflation, result.confidence);
  return result;
}

}  // namespace steelyard
