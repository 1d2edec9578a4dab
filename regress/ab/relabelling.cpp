#include "regress/ab/relabelling.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace steelyard {
namespace {

// Scores are rounded to a grid so that sums can be counted. Rounding is the same for every labelling, so the test stays
// exact; it only coarsens the scores. The grid is finer than the ranks of a few hundred samples need and keeps the
// table of sums near 500 entries.
constexpr std::int64_t kSumCells = 512;
constexpr std::int64_t kMostSteps = 64;
constexpr std::int64_t kLeastSteps = 12;

// Probability of at least |z| standard deviations from the mean, two-sided.
double normal_two_sided(double z) { return std::erfc(std::fabs(z) / std::sqrt(2.0)); }

std::int64_t steps_for(std::size_t summands) {
  return std::clamp(kSumCells / static_cast<std::int64_t>(std::max<std::size_t>(summands, 1)), kLeastSteps, kMostSteps);
}

// Whole steps from `origin`; `span` maps to `steps`.
std::vector<std::int64_t> to_grid(std::span<const double> scores, double origin, double span, std::int64_t steps) {
  std::vector<std::int64_t> cells;
  cells.reserve(scores.size());
  for (const double score : scores) {
    cells.push_back(static_cast<std::int64_t>(std::llround((score - origin) / span * static_cast<double>(steps))));
  }
  return cells;
}

// Sums come in steps; half of the smallest one is the continuity correction. Few distinct scores make it matter.
double normal_two_sided_stepped(double distance, double half_step, double deviation) {
  return normal_two_sided(std::max(0.0, std::fabs(distance) - half_step) / deviation);
}

double sign_flip_normal_p(std::span<const double> scores) {
  double sum = 0;
  double squares = 0;
  double smallest = HUGE_VAL;
  for (const double score : scores) {
    sum += score;
    squares += score * score;
    if (score != 0) smallest = std::min(smallest, std::fabs(score));
  }
  return normal_two_sided_stepped(sum, smallest, std::sqrt(squares));
}

double split_normal_p(std::span<const double> scores, const std::vector<bool>& marked, std::size_t marked_count) {
  const auto n = static_cast<double>(scores.size());
  const auto k = static_cast<double>(marked_count);
  const double mean = std::accumulate(scores.begin(), scores.end(), 0.0) / n;
  double squares = 0;
  double sum = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    squares += (scores[i] - mean) * (scores[i] - mean);
    if (marked[i]) sum += scores[i] - mean;
  }
  std::vector<double> sorted(scores.begin(), scores.end());
  std::sort(sorted.begin(), sorted.end());
  double gap = HUGE_VAL;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i] > sorted[i - 1]) gap = std::min(gap, sorted[i] - sorted[i - 1]);
  }
  // Variance of a sum of k drawn without replacement from n.
  const double variance = squares / (n - 1) * k * (n - k) / n;
  return normal_two_sided_stepped(sum, gap / 2, std::sqrt(variance));
}

// In how many ways `chosen` of the cells sum to each s, s from 0 to chosen * highest.
std::vector<double> count_splits(const std::vector<std::int64_t>& cells, std::size_t chosen, std::size_t highest) {
  // ways[k]: the same for k of the cells seen so far; sums of k cells reach no farther than k * highest.
  std::vector<std::vector<double>> ways(chosen + 1);
  for (std::size_t k = 0; k <= chosen; ++k) ways[k].assign(k * highest + 1, 0.0);
  ways[0][0] = 1;
  for (std::size_t seen = 0; seen < cells.size(); ++seen) {
    const auto cell = static_cast<std::size_t>(cells[seen]);
    // What too few remaining cells could complete is not counted.
    const std::size_t left = cells.size() - seen - 1;
    const std::size_t least = chosen > left ? chosen - left : 1;
    for (std::size_t k = std::min(seen + 1, chosen); k >= std::max<std::size_t>(least, 1); --k) {
      const std::vector<double>& from = ways[k - 1];
      double* to = ways[k].data() + cell;
      for (std::size_t s = 0; s < from.size(); ++s) to[s] += from[s];
    }
  }
  return std::move(ways[chosen]);
}

}  // namespace

double sign_flip_p(std::span<const double> scores) {
  double largest = 0;
  for (const double score : scores) largest = std::max(largest, std::fabs(score));
  if (largest == 0) return 1;
  if (scores.size() > kExactUnits) return sign_flip_normal_p(scores);

  const auto cells = to_grid(scores, 0, largest, steps_for(scores.size()));
  std::int64_t observed = 0;
  std::int64_t total = 0;
  for (const std::int64_t cell : cells) {
    observed += cell;
    total += std::abs(cell);
  }
  // positive[s]: ways in which the scores left positive sum to s; the signed sum is then 2 s - total.
  std::vector<double> positive(static_cast<std::size_t>(total) + 1, 0.0);
  positive[0] = 1;
  std::size_t reached = 0;
  for (const std::int64_t signed_cell : cells) {
    const auto cell = static_cast<std::size_t>(std::abs(signed_cell));
    reached += cell;
    if (cell == 0) {
      for (double& count : positive) count *= 2;
      continue;
    }
    for (std::size_t s = reached; s >= cell; --s) positive[s] += positive[s - cell];
  }
  double extreme = 0;
  for (std::int64_t s = 0; s <= total; ++s) {
    if (std::abs(2 * s - total) >= std::abs(observed)) extreme += positive[static_cast<std::size_t>(s)];
  }
  return std::min(1.0, extreme / std::exp2(static_cast<double>(cells.size())));
}

double split_p(std::span<const double> scores, const std::vector<bool>& marked) {
  const auto marked_count = static_cast<std::size_t>(std::count(marked.begin(), marked.end(), true));
  if (scores.empty() || marked_count == 0 || marked_count == scores.size()) return 1;
  const auto [lowest, highest] = std::minmax_element(scores.begin(), scores.end());
  if (*lowest == *highest) return 1;
  if (scores.size() > kExactUnits) return split_normal_p(scores, marked, marked_count);

  // Counting the smaller group is cheaper; the statistic of one determines that of the other.
  const bool count_marked = 2 * marked_count <= scores.size();
  const std::size_t chosen = count_marked ? marked_count : scores.size() - marked_count;
  const auto cells = to_grid(scores, *lowest, *highest - *lowest, steps_for(chosen));
  std::int64_t observed = 0;
  std::int64_t total = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    total += cells[i];
    if (marked[i] == count_marked) observed += cells[i];
  }
  const auto n = static_cast<std::int64_t>(scores.size());
  const auto k = static_cast<std::int64_t>(chosen);
  const std::int64_t distance = std::abs(n * observed - k * total);  // from the mean, in units of 1/n
  const auto ways =
      count_splits(cells, chosen, static_cast<std::size_t>(*std::max_element(cells.begin(), cells.end())));
  double extreme = 0;
  double all = 0;
  for (std::size_t s = 0; s < ways.size(); ++s) {
    all += ways[s];
    if (std::abs(n * static_cast<std::int64_t>(s) - k * total) >= distance) extreme += ways[s];
  }
  return std::min(1.0, extreme / all);
}

double least_sign_flip_p(std::size_t units) { return std::min(1.0, 2 * std::exp2(-static_cast<double>(units))); }

double least_split_p(std::size_t marked, std::size_t units) {
  if (marked == 0 || marked >= units) return 1;
  double arrangements = 1;
  for (std::size_t i = 1; i <= marked; ++i) {
    arrangements *= static_cast<double>(units - marked + i) / static_cast<double>(i);
  }
  // With equal halves the mirrored arrangement is as extreme; otherwise it does not exist.
  return std::min(1.0, (2 * marked == units ? 2 : 1) / arrangements);
}

}  // namespace steelyard
