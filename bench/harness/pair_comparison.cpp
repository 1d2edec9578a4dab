#include "bench/harness/pair_comparison.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

namespace steelyard {
namespace {

// Twice the mid-rank of each value among all, so that ties stay whole numbers; the first side's values come first.
std::vector<std::size_t> doubled_ranks(std::span<const double> first, std::span<const double> second) {
  std::vector<double> values(first.begin(), first.end());
  values.insert(values.end(), second.begin(), second.end());
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<std::size_t> ranks(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    const std::size_t doubled = begin + 1 + end;
    for (; begin < end; ++begin) ranks[order[begin]] = doubled;
  }
  return ranks;
}

double choices(std::size_t n, std::size_t k) {
  const auto log_factorial = [](std::size_t m) { return std::lgamma(static_cast<double>(m) + 1); };
  return std::exp(log_factorial(n) - log_factorial(k) - log_factorial(n - k));
}

// |2 sum - count * (n + 1)| of doubled ranks: how far a sum lies from its mean, in whole numbers.
std::size_t distance_of(std::size_t doubled_sum, std::size_t count, std::size_t n) {
  const std::size_t mean = count * (n + 1);
  return doubled_sum > mean ? doubled_sum - mean : mean - doubled_sum;
}

// The share of all ways to give `count` of the ranks to the first side whose sum lies at least as far from the mean.
// Counts up to C(50, 25) are whole in a double.
double exact_p(const std::vector<std::size_t>& ranks, std::size_t count,
               const std::vector<double>& ways_by_doubled_sum) {
  const std::size_t n = ranks.size();
  const auto end = ranks.begin() + static_cast<std::ptrdiff_t>(count);
  const std::size_t seen = distance_of(std::accumulate(ranks.begin(), end, std::size_t{0}), count, n);
  double as_far = 0;
  double all = 0;
  for (std::size_t sum = 0; sum < ways_by_doubled_sum.size(); ++sum) {
    all += ways_by_doubled_sum[sum];
    if (distance_of(sum, count, n) >= seen) as_far += ways_by_doubled_sum[sum];
  }
  return std::min(1.0, as_far / all);
}

// Any ranks: one after the other is taken or left.
std::vector<double> ways_with_ties(const std::vector<std::size_t>& ranks, std::size_t count) {
  const std::size_t sums = std::accumulate(ranks.begin(), ranks.end(), std::size_t{0}) + 1;
  std::vector<double> ways((count + 1) * sums, 0.0);  // [how many were taken][their sum]
  ways[0] = 1;
  std::size_t reached = 0;
  for (const std::size_t rank : ranks) {
    reached += rank;
    for (std::size_t k = count; k >= 1; --k) {
      double* to = &ways[k * sums];
      const double* from = &ways[(k - 1) * sums];
      for (std::size_t sum = reached; sum >= rank; --sum) to[sum] += from[sum - rank];
    }
  }
  return {ways.end() - static_cast<std::ptrdiff_t>(sums), ways.end()};
}

// Ranks 1 .. first + second: the coefficients of the Gaussian binomial, built factor by factor (1 - x^(second + i)) /
// (1 - x^i), each step of which leaves whole numbers.
std::vector<double> ways_without_ties(std::size_t first, std::size_t second) {
  const std::size_t most = first * second;
  std::vector<double> ways(most + 1, 0.0);
  ways[0] = 1;
  for (std::size_t i = 1; i <= first; ++i) {
    for (std::size_t u = most; u >= second + i; --u) ways[u] -= ways[u - second - i];
    for (std::size_t u = i; u <= most; ++u) ways[u] += ways[u - i];
  }
  std::vector<double> by_doubled_sum(first * (first + 1) + 2 * most + 1, 0.0);
  for (std::size_t u = 0; u <= most; ++u) by_doubled_sum[first * (first + 1) + 2 * u] = ways[u];
  return by_doubled_sum;
}

bool has_ties(std::vector<std::size_t> ranks) {
  std::sort(ranks.begin(), ranks.end());
  return std::adjacent_find(ranks.begin(), ranks.end()) != ranks.end();
}

// The standard normal deviate whose interval, widened for the error of the inflation, is as wide as `found`.
double without_widening(double found, double inflation_error) {
  double low = 0;
  double high = found;
  for (int step = 0; step < 60; ++step) {
    const double middle = 0.5 * (low + high);
    (middle * widening(inflation_error, middle) < found ? low : high) = middle;
  }
  return low;
}

double normal_p(const std::vector<std::size_t>& ranks, std::size_t count, const RankTestOptions& options) {
  const auto n = static_cast<double>(ranks.size());
  const auto first = static_cast<double>(count);
  double sum = 0;
  double squares = 0;  // of the ranks about their mean
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const double rank = 0.5 * static_cast<double>(ranks[i]);
    squares += (rank - 0.5 * (n + 1)) * (rank - 0.5 * (n + 1));
    if (i < count) sum += rank;
  }
  const double variance = first * (n - first) / (n * (n - 1)) * squares;
  if (variance <= 0) return 1;
  const double distance = std::max(0.0, std::abs(sum - first * 0.5 * (n + 1)) - 0.5);
  const double deviate = distance / std::sqrt(variance * std::max(1.0, options.inflation));
  return std::erfc(without_widening(deviate, options.inflation_error) / std::numbers::sqrt2);
}

}  // namespace

RankTest rank_test(std::span<const double> first, std::span<const double> second, RankTestOptions options) {
  if (first.empty() || second.empty()) return {};
  const std::vector<std::size_t> ranks = doubled_ranks(first, second);
  if (options.inflation <= 1 && ranks.size() <= kMaxExactValues) {
    const bool ties = has_ties(ranks);
    if (!ties) return {exact_p(ranks, first.size(), ways_without_ties(first.size(), second.size())), RankMethod::exact};
    if (ranks.size() <= kMaxTiedValues) {
      return {exact_p(ranks, first.size(), ways_with_ties(ranks, first.size())), RankMethod::exact};
    }
  }
  return {normal_p(ranks, first.size(), options), RankMethod::normal};
}

double min_rank_p(std::size_t first, std::size_t second) {
  if (first == 0 || second == 0) return 1;
  return std::min(1.0, 2 / choices(first + second, first));
}

namespace {

bool obeys_no_test(const MedianInterval& level) {
  return level.doubt == MedianDoubt::autocorrelated || level.doubt == MedianDoubt::drift;
}

// The variance of the difference of two mean ranks is the sum of each side's, over its number of values; the errors of
// the two inflations are independent.
RankTestOptions dependence_of(const PairSide& first, const PairSide& second) {
  const auto part = [](const PairSide& side) {
    return side.level.likeness.rank_inflation / static_cast<double>(side.values.size());
  };
  const double one = part(first);
  const double other = part(second);
  const double independent =
      1 / static_cast<double>(first.values.size()) + 1 / static_cast<double>(second.values.size());
  const double error =
      std::hypot(one * first.level.likeness.inflation_error, other * second.level.likeness.inflation_error);
  return {(one + other) / independent, error / (one + other)};
}

}  // namespace

PairOutcome compare_pair(const PairSide& first, const PairSide& second, const PairRules& rules) {
  const auto [first_low, first_high] = std::minmax_element(first.values.begin(), first.values.end());
  const auto [second_low, second_high] = std::minmax_element(second.values.begin(), second.values.end());
  const double gap = std::max(*second_low - *first_high, *first_low - *second_high);
  PairOutcome outcome;
  if (rules.is_exact) {
    outcome.p = gap > 0 ? 0 : 1;
    return outcome;
  }
  const double least = min_rank_p(first.values.size(), second.values.size());
  outcome.is_extreme = gap > 0;
  outcome.is_decidable = least <= rules.alpha;
  if (rules.are_independent) {
    outcome.p = rank_test(first.values, second.values).p;
  } else if (obeys_no_test(first.level) || obeys_no_test(second.level)) {
    const bool is_apart = gap > std::max(*first_high - *first_low, *second_high - *second_low);
    outcome.is_decidable = outcome.is_decidable && is_apart;
    outcome.p = is_apart ? least : 1;
  } else {
    outcome.p = rank_test(first.values, second.values, dependence_of(first, second)).p;
  }
  return outcome;
}

}  // namespace steelyard
