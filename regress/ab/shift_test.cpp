#include "regress/ab/shift_test.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

#include "bench/model/quantile.hpp"
#include "regress/ab/permutations.hpp"
#include "regress/ab/sample_scores.hpp"
#include "regress/ab/steady_digits.hpp"

namespace steelyard::regress {
namespace {

// Correlation within pairs, of signed ranks, at or below which the order is taken to be in pairs: unchanged programs
// with equal slots showed it in 7 to 12 % of windows of recorded noise (15 rounds), those whose slots differ by 4
// standard deviations in 72 to 83 %.
constexpr double kOpposite = -0.5;
// Quarter over three quarters of the sizes of differences: .28 for normal noise around 0, .50 two deviations away.
constexpr double kAwayFromZero = 0.4;

double sign(double value) { return value > 0 ? 1 : value < 0 ? -1 : 0; }

std::vector<double> signed_ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const double size_a = std::fabs(values[a]);
    const double size_b = std::fabs(values[b]);
    return size_a != size_b ? size_a < size_b : a < b;
  });
  std::vector<double> ranks(values.size(), 0.0);
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && std::fabs(values[order[end]]) == std::fabs(values[order[begin]])) ++end;
    const double rank = 0.5 * static_cast<double>(begin + 1 + end);
    for (; begin < end; ++begin) {
      ranks[order[begin]] = sign(values[order[begin]]) * rank;
    }
  }
  return ranks;
}

double correlation_in_pairs(std::span<const double> values) {
  const std::vector<double> ranks = signed_ranks(values);
  double products = 0;
  double squares = 0;
  for (std::size_t r = 0; r + 1 < ranks.size(); r += 2) {
    products += 2 * ranks[r] * ranks[r + 1];
    squares += ranks[r] * ranks[r] + ranks[r + 1] * ranks[r + 1];
  }
  return squares > 0 ? products / squares : 0;
}

}  // namespace

std::optional<GuessedOrder> order_of_pairs(std::span<const double> differences) {
  if (differences.size() < kRoundsForPairs || correlation_in_pairs(differences) > kOpposite) return std::nullopt;
  std::vector<double> halves;
  for (std::size_t r = 0; r + 1 < differences.size(); r += 2) {
    halves.push_back(0.5 * std::fabs(differences[r] - differences[r + 1]));
  }
  const double slot = median(halves);
  GuessedOrder order{std::vector<double>(differences.size(), 0.0)};
  for (std::size_t r = 0; r + 1 < differences.size(); r += 2) {
    const double first = sign(differences[r] - differences[r + 1]);
    order.raised[r] = first * slot;
    order.raised[r + 1] = -first * slot;
  }
  if (differences.size() % 2 == 1) order.raised.back() = sign(differences.back()) * slot;
  return order;
}

std::optional<GuessedOrder> order_by_sign(std::span<const double> differences) {
  if (differences.size() < kRoundsForGuessing) return std::nullopt;
  std::vector<double> sizes;
  for (const double difference : differences) sizes.push_back(std::fabs(difference));
  std::sort(sizes.begin(), sizes.end());
  if (quantile_of_sorted(sizes, 0.25) <= kAwayFromZero * quantile_of_sorted(sizes, 0.75)) return std::nullopt;
  const double slot = quantile_of_sorted(sizes, 0.5);
  GuessedOrder order;
  for (const double difference : differences) order.raised.push_back(sign(difference) * slot);
  return order;
}

std::vector<double> sums_of_pairs(std::span<const double> scores) {
  std::vector<double> sums;
  for (std::size_t r = 0; r < scores.size(); r += 2) {
    sums.push_back(scores[r] + (r + 1 < scores.size() ? scores[r + 1] : 0));
  }
  return sums;
}

namespace {

// Slots are drawn anew only where that can reach the usual 5 %: from 4 and 4 rounds on.
constexpr double kUsefulLeastP = 0.05;
// A slot effect is taken off where a sign test sees it at this many errors from 0. Taking off what is not there costs
// power (2 % are found in 72 instead of 75 % of tries), leaving two errors in costs about as much.
constexpr double kVisibleErrors = 2;
// A typical error of nothing at all: far below any effect, above the rounding of logarithms.
constexpr double kMinStep = 1e-7;
// Two ways to guess the order of slots share the level.
constexpr double kGuesses = 2;

// The typical error of a median of n values, robustly: 1.4826 turns a median absolute deviation into a standard
// deviation, under the normal distribution.
double robust_error(const std::vector<double>& values) {
  const double middle = median(values);
  std::vector<double> deviations;
  deviations.reserve(values.size());
  for (const double value : values) deviations.push_back(std::fabs(value - middle));
  return 1.4826 * kErrorOfMedian * median(std::move(deviations)) / std::sqrt(static_cast<double>(values.size()));
}

std::vector<double> levels(const std::vector<LogInvocation>& invocations) {
  std::vector<double> result;
  for (const LogInvocation& invocation : invocations) result.push_back(invocation.level);
  return result;
}

}  // namespace

RoundsTest::RoundsTest(std::vector<PairedRound> rounds, Disturbed disturbed)
    : rounds_(std::move(rounds)), disturbed_(disturbed) {
  assert(!rounds_.empty());
  bool slots_known = true;
  std::size_t second = 0;
  for (PairedRound& round : rounds_) {
    sort_values(round.baseline.logs);
    sort_values(round.candidate.logs);
    differences_.push_back(round.difference());
    slots_known = slots_known && round.baseline.slot != round.candidate.slot;
    candidate_was_second_.push_back(round.candidate.slot > round.baseline.slot);
    if (candidate_was_second_.back()) ++second;
  }
  knows_slots_ = slots_known && second > 0 && second < rounds_.size();
  slots_can_tell_ = knows_slots_ && min_split_p(second, rounds_.size()) <= kUsefulLeastP;
  std::vector<PooledScores::Group> by_side;
  std::vector<PooledScores::Group> by_slot;
  for (std::size_t r = 0; r < rounds_.size(); ++r) {
    const bool candidate_second = candidate_was_second_[r];
    by_side.push_back({rounds_[r].baseline.logs, 0});
    by_side.push_back({rounds_[r].candidate.logs, 1});
    by_slot.push_back({rounds_[r].baseline.logs, candidate_second ? 0U : 1U});
    by_slot.push_back({rounds_[r].candidate.logs, candidate_second ? 3U : 2U});
  }
  pooled_.emplace(by_side, disturbed_);
  find_start();
  if (visible_slot_effect(start_) != 0) pooled_by_slot_.emplace(by_slot, disturbed_);
}

// A slot effect splits the differences in two and would make the typical error many times too large.
void RoundsTest::find_start() {
  const double centre = hodges_lehmann(differences_);
  std::vector<double> differences = differences_;
  if (const double slot = visible_slot_effect(centre); slot != 0) {
    for (std::size_t r = 0; r < differences.size(); ++r) differences[r] -= candidate_was_second_[r] ? slot : -slot;
  } else if (!knows_slots_) {
    for (double& difference : differences) difference -= centre;
    auto order = order_of_pairs(differences);
    if (!order) order = order_by_sign(differences);
    for (std::size_t r = 0; r < differences.size(); ++r) {
      differences[r] += centre - (order ? order->raised[r] : 0);
    }
  }
  start_ = median(differences);
  step_ = std::max(kMinStep, robust_error(differences));
}

std::vector<double> RoundsTest::second_over_first(double shift) const {
  std::vector<double> result;
  result.reserve(differences_.size());
  for (std::size_t r = 0; r < differences_.size(); ++r) {
    const double difference = differences_[r] - shift;
    result.push_back(candidate_was_second_[r] ? difference : -difference);
  }
  return result;
}

double RoundsTest::slot_effect(double shift) const {
  assert(knows_slots_);
  return hodges_lehmann(second_over_first(shift));
}

double RoundsTest::visible_slot_effect(double shift) const {
  if (!slots_can_tell_) return 0;
  double more_above = 0;
  for (std::size_t r = 0; r < differences_.size(); ++r) {
    const double difference = differences_[r] - shift;
    const double sign = (difference > 0 ? 1 : 0) - (difference < 0 ? 1 : 0);
    more_above += candidate_was_second_[r] ? sign : -sign;
  }
  // The number of rounds with the second slot above, less those with it below, has a standard deviation of sqrt(n).
  const bool visible = std::fabs(more_above) >= kVisibleErrors * std::sqrt(static_cast<double>(differences_.size()));
  return visible ? hodges_lehmann(second_over_first(shift)) : 0;
}

bool RoundsTest::draws_slots_at(double slot) const {
  return slots_can_tell_ && (slot != 0 || rounds_.size() >= kRoundsForSlots);
}

std::vector<double> RoundsTest::scores(double shift, double slot) const {
  if (slot != 0 && !pooled_by_slot_) {  // seen at this shift, though not at the best one: rare
    std::vector<double> raised;
    for (const bool second : candidate_was_second_) raised.push_back(second ? slot : -slot);
    return scores_with_order(shift, raised);
  }
  const double of_sides[] = {0, shift};
  const double of_slots[] = {0, slot, shift, shift + slot};
  const std::vector<double> mean_scores =
      slot != 0 ? pooled_by_slot_->mean_scores(of_slots) : pooled_->mean_scores(of_sides);
  std::vector<double> pooled(rounds_.size());
  std::vector<double> in_round(rounds_.size());
  for (std::size_t r = 0; r < rounds_.size(); ++r) {
    pooled[r] = mean_scores[2 * r + 1] - mean_scores[2 * r];
    const double raised = candidate_was_second_[r] ? slot : -slot;
    in_round[r] = preference({rounds_[r].baseline.logs, 0}, {rounds_[r].candidate.logs, shift + raised});
  }
  return add_views(pooled, in_round);
}

std::vector<double> RoundsTest::scores_with_order(double shift, const std::vector<double>& raised) const {
  std::vector<std::vector<double>> moved;
  for (std::size_t r = 0; r < rounds_.size(); ++r) {
    for (const bool candidate : {false, true}) {
      const LogInvocation& invocation = candidate ? rounds_[r].candidate : rounds_[r].baseline;
      const double by = candidate ? shift + raised[r] / 2 : -raised[r] / 2;
      moved.push_back(invocation.logs);
      for (double& value : moved.back()) value -= by;
    }
  }
  std::vector<PooledScores::Group> groups;
  for (const std::vector<double>& values : moved) groups.push_back({values, 0});
  const std::vector<double> mean_scores = PooledScores(groups, disturbed_).mean_scores({});
  std::vector<double> pooled(rounds_.size());
  std::vector<double> in_round(rounds_.size());
  for (std::size_t r = 0; r < rounds_.size(); ++r) {
    pooled[r] = mean_scores[2 * r + 1] - mean_scores[2 * r];
    in_round[r] = preference({moved[2 * r], 0}, {moved[2 * r + 1], 0});
  }
  return add_views(pooled, in_round);
}

// Takes the orders of p_with_unknown_slots(): the estimate and p have to tell of one thing. Far from the best shift all
// differences lie on one side and look like a slot's; there the plain scores, all of one sign, decide.
double RoundsTest::statistic_with_unknown_slots(double shift) const {
  const auto sum = [](const std::vector<double>& found) { return std::accumulate(found.begin(), found.end(), 0.0); };
  std::vector<double> differences = differences_;
  for (double& difference : differences) difference -= shift;
  if (const auto pairs = order_of_pairs(differences)) return sum(scores_with_order(shift, pairs->raised));
  const double plain = sum(scores(shift, 0));
  const auto by_sign = order_by_sign(differences);
  return by_sign ? plain + sum(scores_with_order(shift, by_sign->raised)) : plain;
}

double RoundsTest::statistic(double shift) const {
  if (!knows_slots_) return statistic_with_unknown_slots(shift);
  const double slot = visible_slot_effect(shift);
  const std::vector<double> found = scores(shift, slot);
  const bool by_slot = draws_slots_at(slot);
  double sum[2] = {0, 0};
  double count[2] = {0, 0};
  for (std::size_t r = 0; r < found.size(); ++r) {
    const std::size_t group = by_slot && candidate_was_second_[r] ? 1 : 0;
    sum[group] += found[r];
    count[group] += 1;
  }
  return sum[0] / std::max(count[0], 1.0) + sum[1] / std::max(count[1], 1.0);
}

double RoundsTest::p(double shift) const {
  const double slot = visible_slot_effect(shift);
  if (!draws_slots_at(slot)) return knows_slots_ ? sign_flip_p(scores(shift, 0)) : p_with_unknown_slots(shift);
  std::vector<double> found = scores(shift, slot);
  for (std::size_t r = 0; r < found.size(); ++r) {
    if (!candidate_was_second_[r]) found[r] = -found[r];  // second slot minus first
  }
  return split_p(found, candidate_was_second_);
}

double RoundsTest::p_with_unknown_slots(double shift) const {
  std::vector<double> differences = differences_;
  for (double& difference : differences) difference -= shift;
  if (const auto pairs = order_of_pairs(differences)) {
    return sign_flip_p(sums_of_pairs(scores_with_order(shift, pairs->raised)));
  }
  const double p_of_equal_slots = sign_flip_p(scores(shift, 0));
  const auto by_sign = order_by_sign(differences);
  if (!by_sign) return p_of_equal_slots;
  const double p_of_unequal = sign_flip_p(scores_with_order(shift, by_sign->raised));
  return std::min(1.0, kGuesses * std::min(p_of_equal_slots, p_of_unequal));
}

double RoundsTest::min_p() const {
  if (!draws_slots(start_)) return min_sign_flip_p(rounds_.size());
  const auto second = std::count(candidate_was_second_.begin(), candidate_was_second_.end(), true);
  return min_split_p(static_cast<std::size_t>(second), rounds_.size());
}

InvocationsTest::InvocationsTest(std::vector<LogInvocation> baseline, std::vector<LogInvocation> candidate,
                                 Disturbed disturbed)
    : baseline_(std::move(baseline)), candidate_(std::move(candidate)) {
  assert(!baseline_.empty() && !candidate_.empty());
  is_candidate_.assign(baseline_.size() + candidate_.size(), false);
  std::fill(is_candidate_.begin() + static_cast<std::ptrdiff_t>(baseline_.size()), is_candidate_.end(), true);
  std::vector<PooledScores::Group> groups;
  for (const LogInvocation& invocation : baseline_) groups.push_back({invocation.logs, 0});
  for (const LogInvocation& invocation : candidate_) groups.push_back({invocation.logs, 1});
  pooled_.emplace(groups, disturbed);
  const std::vector<double> baseline_levels = levels(baseline_);
  const std::vector<double> candidate_levels = levels(candidate_);
  start_ = median(candidate_levels) - median(baseline_levels);
  step_ = std::max(kMinStep, steady_hypot(robust_error(baseline_levels), robust_error(candidate_levels)));
}

std::vector<double> InvocationsTest::scores(double shift) const {
  const double lowered_by[] = {0, shift};
  return pooled_->mean_scores(lowered_by);
}

double InvocationsTest::statistic(double shift) const {
  const std::vector<double> found = scores(shift);
  double baseline_sum = 0;
  double candidate_sum = 0;
  for (std::size_t i = 0; i < found.size(); ++i) (is_candidate_[i] ? candidate_sum : baseline_sum) += found[i];
  return candidate_sum / static_cast<double>(candidate_.size()) - baseline_sum / static_cast<double>(baseline_.size());
}

double InvocationsTest::p(double shift) const { return split_p(scores(shift), is_candidate_); }

double InvocationsTest::min_p() const { return min_split_p(candidate_.size(), is_candidate_.size()); }

}  // namespace steelyard::regress
