#include "regress/ab/permutations.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <type_traits>

#include "regress/ab/distributions.hpp"

namespace steelyard::regress {
namespace {

// Scores are rounded to a grid so that sums can be counted. Rounding is the same for every labelling, so the test stays
// exact; it only coarsens the scores, by half a step at most: less than a hundredth of their range with up to 4 chosen
// units, a twenty-fourth from 22 on. Until then the table of sums stays near 250 entries.
constexpr std::int64_t kSumCells = 256;
constexpr std::int64_t kMaxSteps = 64;
constexpr std::int64_t kMinSteps = 12;

constexpr int kMinPlannedRounds = 12;
constexpr int kMaxPlannedRounds = 40;  // 2 / C(40, 20) is 10^-11: no family of comparisons needs more

// p is never 0, not even where a double has no room for it.
constexpr double kMinPermutationP = 1e-300;

std::int64_t steps_for(std::size_t summands) {
  return std::clamp(kSumCells / static_cast<std::int64_t>(std::max<std::size_t>(summands, 1)), kMinSteps, kMaxSteps);
}

// std::llround without a call: halves away from 0.
std::int64_t nearest(double value) {
  const auto whole = static_cast<std::int64_t>(value);
  const double rest = value - static_cast<double>(whole);
  return whole + (rest >= 0.5 ? 1 : 0) - (rest <= -0.5 ? 1 : 0);
}

// Whole steps from `origin`; `span` maps to `steps`.
std::vector<std::int64_t> to_grid(std::span<const double> scores, double origin, double span, std::int64_t steps) {
  std::vector<std::int64_t> cells;
  cells.reserve(scores.size());
  for (const double score : scores) cells.push_back(nearest((score - origin) / span * static_cast<double>(steps)));
  return cells;
}

// Sums come in steps; half of the smallest one is the continuity correction. Few distinct scores make it matter.
double normal_two_sided_stepped(double distance, double half_step, double deviation) {
  return normal_two_sided_p(std::max(0.0, std::fabs(distance) - half_step) / deviation);
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

// Adds `from` to `to`: apart from each other in memory, so that the compiler takes many at once.
template <class Count>
void add_to(Count* __restrict to, const Count* __restrict from, std::size_t length) {
  for (std::size_t s = 0; s < length; ++s) to[s] = static_cast<Count>(to[s] + from[s]);
}

// Both tails of a table of sums: s up to `low` and from `high` on.
struct Tails {
  std::int64_t low = -1;
  std::int64_t high = 0;
};
template <class Count>
double count_tails(const Count* ways, std::int64_t last, const Tails& tails) {
  using Sum = std::conditional_t<std::is_integral_v<Count>, std::uint64_t, double>;
  Sum sum = 0;
  for (std::int64_t s = 0; s <= std::min(tails.low, last); ++s) sum += ways[s];
  for (std::int64_t s = std::max<std::int64_t>(tails.high, tails.low + 1); s <= last; ++s) sum += ways[s];
  return static_cast<double>(sum);
}

// In how many ways `chosen` of the cells (ascending) sum to a value in the tails. The cheapest Count that holds all
// ways: whole numbers are counted exactly, and doubles are exact up to 2^53 and close beyond.
template <class Count>
double count_splits(const std::vector<std::int64_t>& cells, std::size_t chosen, const Tails& tails) {
  // Row k: the ways in which k of the cells seen so far sum to s; they reach no farther than k times the last of them.
  const std::size_t width = chosen * static_cast<std::size_t>(cells.back()) + 1;
  std::vector<Count> ways((chosen + 1) * width, Count{0});
  ways[0] = 1;
  std::size_t highest = 0;
  for (std::size_t seen = 0; seen < cells.size(); ++seen) {
    const auto cell = static_cast<std::size_t>(cells[seen]);
    // What too few remaining cells could complete is not counted.
    const std::size_t left = cells.size() - seen - 1;
    const std::size_t least = chosen > left ? chosen - left : 1;
    for (std::size_t k = std::min(seen + 1, chosen); k >= std::max<std::size_t>(least, 1); --k) {
      add_to(ways.data() + k * width + cell, ways.data() + (k - 1) * width, (k - 1) * highest + 1);
    }
    highest = cell;
  }
  return count_tails(ways.data() + chosen * width, static_cast<std::int64_t>(width) - 1, tails);
}

double arrangements_of(std::size_t chosen, std::size_t units) {
  double arrangements = 1;
  for (std::size_t i = 1; i <= chosen; ++i) {
    arrangements *= static_cast<double>(units - chosen + i) / static_cast<double>(i);
  }
  return arrangements;
}

double count_splits(const std::vector<std::int64_t>& cells, std::size_t chosen, const Tails& tails, double all) {
  if (all < 65000) return count_splits<std::uint16_t>(cells, chosen, tails);
  if (all < 4.2e9) return count_splits<std::uint32_t>(cells, chosen, tails);
  return count_splits<double>(cells, chosen, tails);
}

// In how many ways the cells (ascending) left positive sum to a value in the tails.
template <class Count>
double count_signs(const std::vector<std::int64_t>& cells, std::int64_t total, const Tails& tails) {
  std::vector<Count> ways(static_cast<std::size_t>(total) + 1, Count{0});
  std::vector<Count> before(ways.size());
  ways[0] = 1;
  std::size_t reached = 0;
  for (const std::int64_t cell : cells) {
    std::copy(ways.begin(), ways.begin() + static_cast<std::ptrdiff_t>(reached) + 1, before.begin());
    add_to(ways.data() + cell, before.data(), reached + 1);
    reached += static_cast<std::size_t>(cell);
  }
  return count_tails(ways.data(), total, tails);
}

std::int64_t floor_half(std::int64_t value) { return value >= 0 ? value / 2 : -((1 - value) / 2); }

}  // namespace

double sign_flip_p(std::span<const double> scores) {
  double largest = 0;
  for (const double score : scores) largest = std::max(largest, std::fabs(score));
  if (largest == 0) return 1;
  if (scores.size() > kExactUnits) {
    // Ties of a coarse clock have no sign to change: the few others must not pass for many.
    std::vector<double> others;
    std::copy_if(scores.begin(), scores.end(), std::back_inserter(others), [](double score) { return score != 0; });
    if (others.size() < scores.size()) return sign_flip_p(others);
    return std::max(sign_flip_normal_p(scores), min_sign_flip_p(scores.size()));
  }

  auto cells = to_grid(scores, 0, largest, steps_for(scores.size()));
  std::int64_t observed = 0;
  std::int64_t total = 0;
  for (std::int64_t& cell : cells) {
    observed += cell;
    cell = std::abs(cell);
    total += cell;
  }
  std::sort(cells.begin(), cells.end());
  // With the scores left positive summing to s, the signed sum is 2 s - total: at least as far from 0 as observed.
  const std::int64_t distance = std::abs(observed);
  const Tails tails{floor_half(total - distance), total - floor_half(total - distance)};
  const double extreme = cells.size() <= 15   ? count_signs<std::uint16_t>(cells, total, tails)
                         : cells.size() <= 31 ? count_signs<std::uint32_t>(cells, total, tails)
                                              : count_signs<double>(cells, total, tails);
  return std::min(1.0, extreme / std::exp2(static_cast<double>(cells.size())));
}

double split_p(std::span<const double> scores, const std::vector<bool>& marked) {
  const auto marked_count = static_cast<std::size_t>(std::count(marked.begin(), marked.end(), true));
  if (scores.empty() || marked_count == 0 || marked_count == scores.size()) return 1;
  const auto [lowest, highest] = std::minmax_element(scores.begin(), scores.end());
  if (*lowest == *highest) return 1;
  if (scores.size() > kExactUnits) {
    return std::max(split_normal_p(scores, marked, marked_count), min_split_p(marked_count, scores.size()));
  }

  // Counting the smaller group is cheaper; the statistic of one determines that of the other.
  const bool count_marked = 2 * marked_count <= scores.size();
  const std::size_t chosen = count_marked ? marked_count : scores.size() - marked_count;
  auto cells = to_grid(scores, *lowest, *highest - *lowest, steps_for(chosen));
  std::int64_t observed = 0;
  std::int64_t total = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    total += cells[i];
    if (marked[i] == count_marked) observed += cells[i];
  }
  std::sort(cells.begin(), cells.end());
  const auto n = static_cast<std::int64_t>(scores.size());
  const auto k = static_cast<std::int64_t>(chosen);
  // Sums s with |n s - k total| at least as large as that of the observed one.
  const std::int64_t distance = std::abs(n * observed - k * total);
  const std::int64_t low = k * total - distance;
  const Tails tails{low >= 0 ? low / n : -1, (k * total + distance + n - 1) / n};
  const double all = std::round(arrangements_of(chosen, scores.size()));
  return std::min(1.0, count_splits(cells, chosen, tails, all) / all);
}

double min_sign_flip_p(std::size_t units) {
  return std::clamp(2 * std::exp2(-static_cast<double>(units)), kMinPermutationP, 1.0);
}

double min_split_p(std::size_t marked, std::size_t units) {
  if (marked == 0 || marked >= units) return 1;
  const double arrangements = arrangements_of(marked, units);
  // With equal halves the mirrored arrangement is as extreme; otherwise it does not exist.
  return std::clamp((2 * marked == units ? 2 : 1) / arrangements, kMinPermutationP, 1.0);
}

int rounds_needed(double false_alarm_rate, std::int64_t comparisons) {
  const double level = false_alarm_rate / static_cast<double>(std::max<std::int64_t>(comparisons, 1));
  int rounds = kMinPlannedRounds;
  while (rounds < kMaxPlannedRounds &&
         min_split_p(static_cast<std::size_t>(rounds / 2), static_cast<std::size_t>(rounds)) > level) {
    rounds += 2;
  }
  return rounds;
}

}  // namespace steelyard::regress
