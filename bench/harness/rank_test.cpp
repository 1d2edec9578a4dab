#include "bench/harness/rank_test.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

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

// The share of all ways to give `count` of the ranks to the first side whose sum lies at least as far from the mean.
double exact_p(const std::vector<std::size_t>& ranks, std::size_t count) {
  const std::size_t total = std::accumulate(ranks.begin(), ranks.end(), std::size_t{0});
  // ways[k * (total + 1) + s]: of choosing k of the ranks seen so far with sum s. Counts up to C(50, 25) are whole in a
  // double.
  const std::size_t sums = total + 1;
  std::vector<double> ways((count + 1) * sums, 0.0);
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
  const std::size_t seen =
      std::accumulate(ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(count), std::size_t{0});
  // |sum - count * total / n| in whole numbers: times n.
  const auto distance = [&](std::size_t sum) {
    const std::size_t scaled = sum * ranks.size();
    return scaled > count * total ? scaled - count * total : count * total - scaled;
  };
  double as_far = 0;
  double all = 0;
  for (std::size_t sum = 0; sum < sums; ++sum) {
    all += ways[count * sums + sum];
    if (distance(sum) >= distance(seen)) as_far += ways[count * sums + sum];
  }
  return std::min(1.0, as_far / all);
}

double normal_p(const std::vector<std::size_t>& ranks, std::size_t count, double inflation) {
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
  return std::erfc(distance / std::sqrt(2 * variance * inflation));
}

}  // namespace

std::string_view to_text(RankMethod method) {
  constexpr std::array<std::string_view, 3> kTexts{"none", "exact", "normal"};
  return kTexts.at(static_cast<std::size_t>(method));
}

RankTest rank_test(std::span<const double> first, std::span<const double> second, RankTestOptions options) {
  if (first.empty() || second.empty()) return {};
  const std::vector<std::size_t> ranks = doubled_ranks(first, second);
  if (options.inflation <= 1 && ranks.size() <= kMostExactValues) {
    return {exact_p(ranks, first.size()), RankMethod::exact};
  }
  return {normal_p(ranks, first.size(), std::max(1.0, options.inflation)), RankMethod::normal};
}

double least_rank_p(std::size_t first, std::size_t second) {
  if (first == 0 || second == 0) return 1;
  return std::min(1.0, 2 / choices(first + second, first));
}

std::vector<double> holm_q(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  std::vector<double> q(p.size());
  double running = 0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    running = std::max(running, std::min(1.0, static_cast<double>(p.size() - rank) * p[order[rank]]));
    q[order[rank]] = running;
  }
  return q;
}

}  // namespace steelyard
