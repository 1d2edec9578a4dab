#include "tests/studies/judging/history_peers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <queue>
#include <set>

#include "bench/model/quantile.hpp"
#include "regress/ab/distributions.hpp"
#include "regress/history/steps.hpp"

namespace steelyard {
namespace {

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double squares_of(std::span<const double> values) {
  const double mean = mean_of(values);
  double sum = 0;
  for (double value : values) sum += (value - mean) * (value - mean);
  return sum;
}

// Two-sided, equal variances. 1 where a side has fewer than two values.
double student_p(std::span<const double> left, std::span<const double> right) {
  if (left.size() < 2 || right.size() < 2) return 1;
  const auto l = static_cast<double>(left.size());
  const auto r = static_cast<double>(right.size());
  const double pooled = (squares_of(left) + squares_of(right)) / (l + r - 2);
  const double difference = mean_of(right) - mean_of(left);
  if (pooled == 0) return difference == 0 ? 1 : 0;
  return regress::student_two_sided_p(difference / std::sqrt(pooled * (1 / l + 1 / r)), l + r - 2);
}

// Best (begin of the new level, end of the stretch) in a window by the scaled energy distance with exponent 1.
std::size_t best_energy_split(std::span<const double> window) {
  const std::size_t n = window.size();
  double best = -1;
  std::size_t place = 0;
  // Grown one value at a time: sums of |a - b| within the left, within the right, and across.
  double within_left = 0;
  for (std::size_t tau = 1; tau < n; ++tau) {
    for (std::size_t i = 0; i + 1 < tau; ++i) within_left += std::fabs(window[i] - window[tau - 1]);
    double across = 0;
    double within_right = 0;
    for (std::size_t kappa = tau + 1; kappa <= n; ++kappa) {
      for (std::size_t i = 0; i < tau; ++i) across += std::fabs(window[i] - window[kappa - 1]);
      for (std::size_t j = tau; j + 1 < kappa; ++j) within_right += std::fabs(window[j] - window[kappa - 1]);
      const auto l = static_cast<double>(tau);
      const auto r = static_cast<double>(kappa - tau);
      if (tau < 2 || kappa - tau < 2) continue;
      const double energy = 2 * across / (l * r) - 2 * within_left / (l * (l - 1)) - 2 * within_right / (r * (r - 1));
      const double scaled = energy * l * r / (l + r);
      if (scaled <= best) continue;
      best = scaled;
      place = tau;
    }
  }
  return place;
}

void split_while_significant(std::span<const double> values, std::size_t from, std::size_t to, double level,
                             std::set<std::size_t>& steps) {
  if (to - from < 4) return;
  const std::size_t split = best_energy_split(values.subspan(from, to - from));
  if (split == 0) return;
  const std::size_t place = from + split;
  if (student_p(values.subspan(from, split), values.subspan(place, to - place)) > level) return;
  steps.insert(place);
  split_while_significant(values, from, place, level, steps);
  split_while_significant(values, place, to, level, steps);
}

// L1 Potts by dynamic programming; medians by a running two-heap would be faster, histories here are short.
FoundSteps potts(const std::vector<std::vector<double>>& cost, double penalty, std::size_t n) {
  std::vector<double> best(n + 1, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> before(n + 1);
  best[0] = -penalty;
  for (std::size_t to = 1; to <= n; ++to)
    for (std::size_t from = 0; from < to; ++from) {
      const double sum = best[from] + penalty + cost[from][to - from - 1];
      if (sum >= best[to]) continue;
      best[to] = sum;
      before[to] = from;
    }
  FoundSteps steps;
  for (std::size_t i = before[n]; i > 0; i = before[i]) steps.push_back(i);
  std::ranges::reverse(steps);
  return steps;
}

// cost[from][length - 1]: sum of distances from the median.
std::vector<std::vector<double>> median_costs(std::span<const double> values) {
  std::vector<std::vector<double>> cost(values.size());
  for (std::size_t from = 0; from < values.size(); ++from) {
    std::priority_queue<double> low;
    std::priority_queue<double, std::vector<double>, std::greater<>> high;
    double sum_low = 0;
    double sum_high = 0;
    for (std::size_t i = from; i < values.size(); ++i) {
      low.push(values[i]);
      sum_low += values[i];
      high.push(low.top());
      sum_low -= low.top();
      sum_high += low.top();
      low.pop();
      if (high.size() > low.size()) {
        low.push(high.top());
        sum_low += high.top();
        sum_high -= high.top();
        high.pop();
      }
      const double middle = low.top();
      cost[from].push_back(sum_high - sum_low +
                           middle * (static_cast<double>(low.size()) - static_cast<double>(high.size())));
    }
  }
  return cost;
}

double total_cost(const std::vector<std::vector<double>>& cost, const FoundSteps& steps, std::size_t n) {
  double sum = 0;
  std::size_t from = 0;
  for (std::size_t step : steps) {
    sum += cost[from][step - from - 1];
    from = step;
  }
  return sum + cost[from][n - from - 1];
}

double weighted_mean(std::span<const double> values, bool newest_heaviest) {
  double sum = 0;
  double weights = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto weight = static_cast<double>(newest_heaviest ? i + 1 : values.size() - i);
    sum += weight * values[i];
    weights += weight;
  }
  return sum / weights;
}

double weighted_variance(std::span<const double> values, bool newest_heaviest) {
  const double mean = weighted_mean(values, newest_heaviest);
  double sum = 0;
  double weights = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto weight = static_cast<double>(newest_heaviest ? i + 1 : values.size() - i);
    sum += weight * (values[i] - mean) * (values[i] - mean);
    weights += weight;
  }
  return sum / weights * static_cast<double>(values.size()) / static_cast<double>(values.size() - 1);
}

}  // namespace

FoundSteps otava_steps(std::span<const double> values, double min_magnitude) {
  constexpr std::size_t kWindow = 50;
  constexpr double kLevel = 0.001;
  std::set<std::size_t> weak;
  const std::size_t n = values.size();
  for (std::size_t from = 0; from < n; from += kWindow / 2) {
    const std::size_t to = std::min(n, from + kWindow);
    split_while_significant(values, from, to, 10 * kLevel, weak);
    if (to == n) break;
  }
  FoundSteps steps(weak.begin(), weak.end());
  while (!steps.empty()) {
    double worst = -1;
    std::size_t weakest = 0;
    for (std::size_t k = 0; k < steps.size(); ++k) {
      const std::size_t from = k == 0 ? 0 : steps[k - 1];
      const std::size_t to = k + 1 < steps.size() ? steps[k + 1] : n;
      const auto left = values.subspan(from, steps[k] - from);
      const auto right = values.subspan(steps[k], to - steps[k]);
      double p = student_p(left, right);
      if (std::fabs(mean_of(right) / mean_of(left) - 1) < min_magnitude) p = 2;
      if (p > worst) {
        worst = p;
        weakest = k;
      }
    }
    if (worst < kLevel) break;
    steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(weakest));
  }
  return steps;
}

FoundSteps pelt_steps(std::span<const double> values) {
  if (values.size() < 3) return {};
  std::vector<double> differences;
  for (std::size_t i = 1; i < values.size(); ++i) differences.push_back(std::fabs(values[i] - values[i - 1]));
  const double deviation = 1.4826 * median(differences) / std::sqrt(2.0);
  if (deviation == 0) return {};
  return regress::best_steps(values, 2 * deviation * deviation * std::log(static_cast<double>(values.size())));
}

FoundSteps asv_steps(std::span<const double> values) {
  const std::size_t n = values.size();
  if (n < 3 || n > 2000) return {};
  const auto cost = median_costs(values);
  const double flat = cost[0][n - 1];
  FoundSteps best;
  double least = std::numeric_limits<double>::infinity();
  // The criterion of Schwarz with a Laplace likelihood over a grid of penalties; a quarter of the usual distance of
  // neighbours bounds the fit from below.
  std::vector<double> differences;
  for (std::size_t i = 1; i < n; ++i) differences.push_back(std::fabs(values[i] - values[i - 1]));
  const double floor = std::max(0.25 * median(differences), 1e-9 * flat / static_cast<double>(n));
  for (double penalty = flat; penalty > flat / 1000; penalty /= 1.5) {
    const FoundSteps steps = potts(cost, penalty, n);
    const double parameters = 2 * static_cast<double>(steps.size()) + 1;
    const double fit = total_cost(cost, steps, n) / static_cast<double>(n) + floor;
    const double score = static_cast<double>(n) * std::log(fit) + parameters * std::log(static_cast<double>(n)) * 2;
    if (score >= least) continue;
    least = score;
    best = steps;
  }
  FoundSteps relevant;
  for (std::size_t k = 0; k < best.size(); ++k) {
    const std::size_t from = k == 0 ? 0 : best[k - 1];
    const std::size_t to = k + 1 < best.size() ? best[k + 1] : n;
    const double before = median(
        {values.begin() + static_cast<std::ptrdiff_t>(from), values.begin() + static_cast<std::ptrdiff_t>(best[k])});
    const double after = median(
        {values.begin() + static_cast<std::ptrdiff_t>(best[k]), values.begin() + static_cast<std::ptrdiff_t>(to)});
    if (std::fabs(after - before) >= 0.05 * std::fabs(before)) relevant.push_back(best[k]);
  }
  return relevant;
}

FoundSteps treeherder_steps(std::span<const double> values) {
  constexpr std::size_t kSide = 12;
  std::vector<double> t(values.size());
  for (std::size_t i = kSide; i + kSide <= values.size(); ++i) {
    const std::size_t back = std::min<std::size_t>(i, 2 * kSide);
    const auto before = values.subspan(i - back, back);
    const auto after = values.subspan(i, kSide);
    const double variance = weighted_variance(before, true) / static_cast<double>(back) +
                            weighted_variance(after, false) / static_cast<double>(kSide);
    const double difference = weighted_mean(after, false) - weighted_mean(before, true);
    if (std::fabs(difference) < 0.02 * std::fabs(weighted_mean(before, true))) continue;
    t[i] = variance > 0 ? std::fabs(difference) / std::sqrt(variance) : (difference == 0 ? 0 : 1e9);
  }
  FoundSteps steps;
  for (std::size_t i = kSide; i + kSide <= values.size(); ++i) {
    if (t[i] <= 7) continue;
    const std::size_t from = i - std::min(i, kSide);
    const std::size_t to = std::min(values.size(), i + kSide + 1);
    const auto most =
        std::max_element(t.begin() + static_cast<std::ptrdiff_t>(from), t.begin() + static_cast<std::ptrdiff_t>(to));
    if (static_cast<std::size_t>(most - t.begin()) == i) steps.push_back(i);
  }
  return steps;
}

FoundSteps neighbour_steps(std::span<const double> values, double threshold) {
  FoundSteps steps;
  for (std::size_t i = 1; i < values.size(); ++i)
    if (std::fabs(values[i] - values[i - 1]) >= threshold * std::fabs(values[i - 1])) steps.push_back(i);
  return steps;
}

std::vector<HistoryPeer> history_peers() {
  return {{"Otava's rule", [](auto values) { return otava_steps(values); }},
          {"Otava's rule, 2 %", [](auto values) { return otava_steps(values, 0.02); }},
          {"PELT, least squares", pelt_steps},
          {"asv's L1 Potts, 5 %", asv_steps},
          {"treeherder's t", treeherder_steps},
          {"neighbour, 5 %", [](auto values) { return neighbour_steps(values, 0.05); }},
          {"neighbour, 10 %", [](auto values) { return neighbour_steps(values, 0.1); }},
          {"nothing", [](auto) { return FoundSteps(); }}};
}

}  // namespace steelyard
