#include "regress/ab/shift_test.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "bench/model/quantile.hpp"
#include "regress/ab/pooled_ranks.hpp"
#include "regress/ab/relabelling.hpp"

namespace steelyard {
namespace {

// Slots are drawn anew only where that can reach the usual 5 %: from 4 and 4 rounds on.
constexpr double kUsefulLeastP = 0.05;
// A typical error of nothing at all: far below any effect, above the rounding of logarithms.
constexpr double kLeastStep = 1e-7;

// The typical error of a median of n values, robustly: 1.4826 turns a median absolute deviation into a standard
// deviation, 1.2533 is the loss of the median against the mean, both under the normal distribution.
double robust_error(const std::vector<double>& values) {
  const double middle = median(values);
  std::vector<double> deviations;
  deviations.reserve(values.size());
  for (const double value : values) deviations.push_back(std::fabs(value - middle));
  return 1.4826 * 1.2533 * median(deviations) / std::sqrt(static_cast<double>(values.size()));
}

void append(std::vector<GroupedValue>& values, const std::vector<double>& logs, double shift, std::size_t group) {
  for (const double value : logs) values.push_back({value - shift, static_cast<std::uint32_t>(group)});
}

std::vector<double> levels(const std::vector<LogInvocation>& invocations) {
  std::vector<double> result;
  for (const LogInvocation& invocation : invocations) result.push_back(invocation.level);
  return result;
}

}  // namespace

RoundsTest::RoundsTest(std::vector<PairedRound> rounds) : rounds_(std::move(rounds)) {
  assert(!rounds_.empty());
  bool slots_known = true;
  std::size_t second = 0;
  for (const PairedRound& round : rounds_) {
    differences_.push_back(round.difference());
    slots_known = slots_known && round.baseline.slot != round.candidate.slot;
    candidate_was_second_.push_back(round.candidate.slot > round.baseline.slot);
    if (candidate_was_second_.back()) ++second;
  }
  knows_slots_ = slots_known && second > 0 && second < rounds_.size();
  removes_slots_ = knows_slots_ && least_split_p(second, rounds_.size()) <= kUsefulLeastP;
  start_ = hodges_lehmann(differences_);
  step_ = std::max(kLeastStep, robust_error(differences_));
}

double RoundsTest::slot_effect(double shift) const {
  assert(knows_slots_);
  std::vector<double> second_over_first;
  second_over_first.reserve(differences_.size());
  for (std::size_t r = 0; r < differences_.size(); ++r) {
    const double difference = differences_[r] - shift;
    second_over_first.push_back(candidate_was_second_[r] ? difference : -difference);
  }
  return hodges_lehmann(second_over_first);
}

std::vector<double> RoundsTest::rank_differences(double shift) const {
  const double slot = removes_slots_ ? slot_effect(shift) : 0;
  std::vector<GroupedValue> values;
  for (std::size_t r = 0; r < rounds_.size(); ++r) {
    const bool second = candidate_was_second_[r];
    append(values, rounds_[r].baseline.logs, second ? 0 : slot, 2 * r);
    append(values, rounds_[r].candidate.logs, shift + (second ? slot : 0), 2 * r + 1);
  }
  const std::vector<double> ranks = mean_ranks(values, 2 * rounds_.size());
  std::vector<double> result(rounds_.size());
  for (std::size_t r = 0; r < rounds_.size(); ++r) result[r] = ranks[2 * r + 1] - ranks[2 * r];
  return result;
}

double RoundsTest::statistic(double shift) const {
  const std::vector<double> scores = rank_differences(shift);
  double sum[2] = {0, 0};
  double count[2] = {0, 0};
  for (std::size_t r = 0; r < scores.size(); ++r) {
    const std::size_t group = removes_slots_ && candidate_was_second_[r] ? 1 : 0;
    sum[group] += scores[r];
    count[group] += 1;
  }
  return sum[0] / std::max(count[0], 1.0) + sum[1] / std::max(count[1], 1.0);
}

double RoundsTest::p(double shift) const {
  std::vector<double> scores = rank_differences(shift);
  if (!removes_slots_) return sign_flip_p(scores);
  for (std::size_t r = 0; r < scores.size(); ++r) {
    if (!candidate_was_second_[r]) scores[r] = -scores[r];  // second slot minus first
  }
  return split_p(scores, candidate_was_second_);
}

double RoundsTest::least_p() const {
  if (!removes_slots_) return least_sign_flip_p(rounds_.size());
  const auto second = std::count(candidate_was_second_.begin(), candidate_was_second_.end(), true);
  return least_split_p(static_cast<std::size_t>(second), rounds_.size());
}

InvocationsTest::InvocationsTest(std::vector<LogInvocation> baseline, std::vector<LogInvocation> candidate)
    : baseline_(std::move(baseline)), candidate_(std::move(candidate)) {
  assert(!baseline_.empty() && !candidate_.empty());
  is_candidate_.assign(baseline_.size() + candidate_.size(), false);
  std::fill(is_candidate_.begin() + static_cast<std::ptrdiff_t>(baseline_.size()), is_candidate_.end(), true);
  const std::vector<double> baseline_levels = levels(baseline_);
  const std::vector<double> candidate_levels = levels(candidate_);
  start_ = median(candidate_levels) - median(baseline_levels);
  step_ = std::max(kLeastStep, std::hypot(robust_error(baseline_levels), robust_error(candidate_levels)));
}

std::vector<double> InvocationsTest::ranks(double shift) const {
  std::vector<GroupedValue> values;
  std::size_t group = 0;
  for (const LogInvocation& invocation : baseline_) append(values, invocation.logs, 0, group++);
  for (const LogInvocation& invocation : candidate_) append(values, invocation.logs, shift, group++);
  return mean_ranks(values, group);
}

double InvocationsTest::statistic(double shift) const {
  const std::vector<double> scores = ranks(shift);
  double baseline_sum = 0;
  double candidate_sum = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) (is_candidate_[i] ? candidate_sum : baseline_sum) += scores[i];
  return candidate_sum / static_cast<double>(candidate_.size()) - baseline_sum / static_cast<double>(baseline_.size());
}

double InvocationsTest::p(double shift) const { return split_p(ranks(shift), is_candidate_); }

double InvocationsTest::least_p() const { return least_split_p(candidate_.size(), is_candidate_.size()); }

}  // namespace steelyard
