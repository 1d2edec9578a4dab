#include "regress/ab/sample_scores.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "bench/model/quantile.hpp"

namespace steelyard::regress {
namespace {
// Above this many values the median stands in for the median of pairs: by then the two agree to within their error,
// and the pairs would cost more than everything else.
constexpr std::size_t kMaxPairedValues = 200;
}  // namespace

double hodges_lehmann(std::span<const double> values) {
  if (values.size() > kMaxPairedValues) return median({values.begin(), values.end()});
  std::vector<double> averages;
  averages.reserve(values.size() * (values.size() + 1) / 2);
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i; j < values.size(); ++j) averages.push_back(0.5 * (values[i] + values[j]));
  }
  return median(std::move(averages));
}

namespace {

constexpr std::size_t kCounted = 16;

// Of equal ones those of `a` come first.
void merge_two(std::span<const GroupedValue> a, std::span<const GroupedValue> b, GroupedValue* out) {
  const GroupedValue* next_a = a.data();
  const GroupedValue* next_b = b.data();
  const GroupedValue* const end_a = next_a + a.size();
  const GroupedValue* const end_b = next_b + b.size();
  while (next_a != end_a && next_b != end_b) {
    const std::uint32_t is_b = next_b->value < next_a->value ? 1 : 0;
    out->value = std::min(next_a->value, next_b->value);
    out->group = next_a->group + is_b * (next_b->group - next_a->group);
    ++out;
    next_a += 1 - is_b;
    next_b += is_b;
  }
  out = std::copy(next_a, end_a, out);
  std::copy(next_b, end_b, out);
}

}  // namespace

void sort_values(std::vector<double>& values) {
  if (values.size() > kCounted) return std::sort(values.begin(), values.end());
  std::array<double, kCounted> sorted;
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::size_t before = 0;
    for (std::size_t k = 0; k < i; ++k) before += values[k] <= values[i] ? 1U : 0U;
    for (std::size_t k = i + 1; k < values.size(); ++k) before += values[k] < values[i] ? 1U : 0U;
    sorted[before] = values[i];
  }
  std::copy_n(sorted.begin(), values.size(), values.begin());
}

void merge_runs(std::span<GroupedValue> values, std::vector<std::size_t> ends) {
  assert(values.empty() || (!ends.empty() && ends.back() == values.size()));
  std::vector<GroupedValue> other(values.size());
  std::span<GroupedValue> from = values;
  std::span<GroupedValue> to = other;
  while (ends.size() > 1) {
    std::size_t begin = 0;
    std::size_t kept = 0;
    for (std::size_t run = 0; run < ends.size(); run += 2) {
      const std::size_t middle = ends[run];
      const std::size_t end = run + 1 < ends.size() ? ends[run + 1] : middle;
      merge_two(from.subspan(begin, middle - begin), from.subspan(middle, end - middle), to.data() + begin);
      ends[kept++] = end;
      begin = end;
    }
    ends.resize(kept);
    std::swap(from, to);
  }
  if (from.data() != values.data()) std::copy(from.begin(), from.end(), values.begin());
}

namespace {

// How much the low end counts: at 0.1 the score's slope falls by a factor of 120 from the lowest rank to the highest.
constexpr double kLowEnd = 0.1;
constexpr double kShareOfRoundView = 0.5;
constexpr std::size_t kFewPairs = 400;

// Two numbers at a time, on any processor: 100 pairs of samples are 50 steps without a branch to guess.
using TwoValues = double __attribute__((vector_size(16)));
using TwoCounts = std::int64_t __attribute__((vector_size(16)));

// Pairs with the second value above, less pairs with it below, of few pairs.
double difference_of_few_pairs(const LoweredValues& first, const LoweredValues& second) {
  constexpr double kNeither = std::numeric_limits<double>::quiet_NaN();  // above and below nothing
  TwoValues lowered_first[kFewPairs / 2 + 1];
  const auto a = first.ascending;
  for (std::size_t i = 0; i < a.size(); i += 2) {
    lowered_first[i / 2] = TwoValues{a[i] - first.by, i + 1 < a.size() ? a[i + 1] - first.by : kNeither};
  }
  const std::size_t twos = (a.size() + 1) / 2;
  TwoCounts sum = {0, 0};
  for (const double value : second.ascending) {
    const double lowered = value - second.by;
    const TwoValues twice = {lowered, lowered};
    // What holds is -1.
    for (std::size_t i = 0; i < twos; ++i) sum += (lowered_first[i] > twice) - (lowered_first[i] < twice);
  }
  return static_cast<double>(sum[0] + sum[1]);
}

double root_of_squares(std::span<const double> values) {
  double squares = 0;
  for (const double value : values) squares += value * value;
  return std::sqrt(squares);
}

}  // namespace

double rank_score(double u, Disturbed disturbed) {
  return disturbed == Disturbed::upwards ? -1 / (u + kLowEnd) : 1 / (1 - u + kLowEnd);
}

PooledScores::Keys::Keys(std::size_t count) : all_(std::make_unique_for_overwrite<Key[]>(count + 2)), size_(count) {
  all_[0] = {std::numeric_limits<std::int64_t>::min(), 0};
  all_[count + 1] = {std::numeric_limits<std::int64_t>::max(), 0};
}

PooledScores::PooledScores(std::span<const Group> groups, Disturbed disturbed) : disturbed_(disturbed) {
  std::vector<std::size_t> ends[kLists];
  std::size_t total = 0;
  std::vector<double> values;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const std::size_t list = groups[g].list;
    assert(list < kLists && !groups[g].values.empty());
    values.assign(groups[g].values.begin(), groups[g].values.end());
    if (!std::is_sorted(values.begin(), values.end())) sort_values(values);
    for (const double value : values) lists_[list].push_back({value, static_cast<std::uint32_t>(g)});
    ends[list].push_back(lists_[list].size());
    total += values.size();
    inverse_counts_.push_back(1 / static_cast<double>(values.size()));
  }
  for (std::size_t l = 0; l < kLists; ++l) merge_runs(lists_[l], std::move(ends[l]));
  by_rank_.resize(total + 1, 0.0);
  for (std::size_t rank = 1; rank <= total; ++rank) by_rank_[rank] = score_of_twice_rank(2 * rank);
}

double PooledScores::score_of_twice_rank(std::size_t twice) const {
  return rank_score(0.5 * static_cast<double>(twice) / static_cast<double>(by_rank_.size()), disturbed_);
}

PooledScores::Keys PooledScores::keys_of(std::span<const GroupedValue> list, double lowered_by) {
  Keys keys(list.size());
  Key* out = keys.begin();
  for (const GroupedValue& entry : list) {
    const double lowered = entry.value - lowered_by + 0.0;  // of the two zeros the one
    const auto bits = std::bit_cast<std::int64_t>(lowered);
    // Sign and size: of what is below 0 the larger size is the lesser.
    *out++ = {bits ^ ((bits >> 63) & std::numeric_limits<std::int64_t>::max()), entry.group};
  }
  return keys;
}

// From both ends at once, and with arithmetic instead of a branch on which side comes next, which no processor can
// guess: several times as fast as the usual loop.
PooledScores::Keys PooledScores::merge(const Keys& a, const Keys& b) {
  Keys merged(a.size() + b.size());
  // The second where `take` is 1, the first where it is 0; of `take ? second : first` the compiler makes a branch.
  const auto chosen = [](std::uint64_t take, const Key& first, const Key& second) {
    const auto differing = -static_cast<std::int64_t>(take);
    return Key{first.value ^ ((first.value ^ second.value) & differing),
               first.group ^ ((first.group ^ second.group) & -take)};
  };
  const Key* low_a = a.begin();
  const Key* low_b = b.begin();
  const Key* high_a = low_a + a.size() - 1;
  const Key* high_b = low_b + b.size() - 1;
  Key* low = merged.begin();
  Key* high = low + merged.size() - 1;
  while (low < high) {
    const std::uint64_t low_is_b = low_b->value < low_a->value ? 1 : 0;
    *low++ = chosen(low_is_b, *low_a, *low_b);
    low_a += 1 - low_is_b;
    low_b += low_is_b;
    const std::uint64_t high_is_a = high_a->value > high_b->value ? 1 : 0;
    *high-- = chosen(high_is_a, *high_b, *high_a);
    high_a -= high_is_a;
    high_b -= 1 - high_is_a;
  }
  if (low == high) *low = chosen(low_b->value < low_a->value ? 1 : 0, *low_a, *low_b);
  return merged;
}

std::vector<double> PooledScores::mean_scores(std::span<const double> lowered_by) const {
  const auto keys = [&](std::size_t list) {
    return keys_of(lists_[list], list < lowered_by.size() ? lowered_by[list] : 0.0);
  };
  Keys all = merge(keys(0), keys(1));
  if (!lists_[2].empty() || !lists_[3].empty()) all = merge(all, merge(keys(2), keys(3)));
  std::vector<double> scores(inverse_counts_.size(), 0.0);
  const Key* const sorted = all.begin();
  for (std::size_t begin = 0; begin < all.size();) {
    std::size_t end = begin + 1;
    if (sorted[end].value != sorted[begin].value) {  // no tie: nearly always
      scores[sorted[begin].group] += by_rank_[end];
      begin = end;
      continue;
    }
    while (end < all.size() && sorted[end].value == sorted[begin].value) ++end;
    const double score = score_of_twice_rank(begin + 1 + end);
    for (; begin < end; ++begin) scores[sorted[begin].group] += score;
  }
  for (std::size_t g = 0; g < scores.size(); ++g) scores[g] *= inverse_counts_[g];
  return scores;
}

double preference(const LoweredValues& first, const LoweredValues& second) {
  const auto a = first.ascending;
  const auto b = second.ascending;
  const double pairs = static_cast<double>(a.size()) * static_cast<double>(b.size());
  if (a.back() - first.by < b.front() - second.by) return 1;
  if (a.front() - first.by > b.back() - second.by) return -1;
  if (a.size() * b.size() <= kFewPairs) return difference_of_few_pairs(first, second) / pairs;
  std::size_t below = 0;  // of the first, than the value of the second at hand
  std::size_t not_above = 0;
  double sum = 0;
  for (const double value : b) {
    const double lowered = value - second.by;
    while (below < a.size() && a[below] - first.by < lowered) ++below;
    not_above = std::max(not_above, below);
    while (not_above < a.size() && a[not_above] - first.by <= lowered) ++not_above;
    sum += static_cast<double>(below) - static_cast<double>(a.size() - not_above);
  }
  return sum / pairs;
}

std::vector<double> add_views(std::span<const double> pooled, std::span<const double> in_round) {
  assert(pooled.size() == in_round.size());
  const double of_pooled = root_of_squares(pooled);
  const double of_round = root_of_squares(in_round);
  std::vector<double> result(pooled.size(), 0.0);
  for (std::size_t r = 0; r < result.size(); ++r) {
    if (of_pooled > 0) result[r] += pooled[r] / of_pooled;
    if (of_round > 0) result[r] += kShareOfRoundView * in_round[r] / of_round;
  }
  return result;
}

}  // namespace steelyard::regress
