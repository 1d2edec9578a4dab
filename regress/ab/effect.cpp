#include "regress/ab/effect.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "regress/ab/distributions.hpp"
#include "regress/ab/few_rounds.hpp"
#include "regress/ab/inversion.hpp"
#include "regress/ab/noise_parts.hpp"
#include "regress/ab/relabelling.hpp"
#include "regress/ab/shift_test.hpp"
#include "regress/ab/steady_digits.hpp"

namespace steelyard {
namespace {

// Sums of equal logarithms differ by their rounding; no clock tells processes apart by so little.
constexpr double kRounding = 1e-11;

struct Moments {
  double count = 0;
  double mean = 0;
  double variance = 0;  // n - 1
};

Moments moments(std::span<const double> values) {
  Moments result;
  result.count = static_cast<double>(values.size());
  for (const double value : values) result.mean += value / result.count;
  for (const double value : values) result.variance += (value - result.mean) * (value - result.mean);
  if (result.count > 1) result.variance /= result.count - 1;
  return result;
}

void judge_by_relabelling(const ShiftTest& test, const EffectQuestion& question, Effect& effect) {
  Inversion inversion(test);
  effect.log_ratio = inversion.estimate();
  effect.p = inversion.p(0);
  effect.least_p = test.least_p();
  const double alpha = 1 - question.confidence;
  effect.interval = inversion.interval(alpha);
  effect.equivalence_interval = inversion.interval(question.equivalence_alpha);
  const double error_alpha = effect.interval ? alpha : question.equivalence_alpha;
  const auto error_interval = effect.interval ? effect.interval : effect.equivalence_interval;
  if (error_interval) {
    // The length of such an interval estimates the error of its middle (E. L. Lehmann, Nonparametric confidence
    // intervals for a shift parameter, 1963).
    effect.standard_error = (error_interval->high - error_interval->low) / (2 * normal_quantile(1 - error_alpha / 2));
  }
  // The 90 % interval lies inside the margin exactly if both ends of the margin are rejected at 10 %.
  const double margin = steady_log1p(question.margin);
  const auto& inner = effect.equivalence_interval;
  effect.within_margin = inner && inner->high < margin && inner->low > -margin &&
                         inversion.p(margin) <= question.equivalence_alpha &&
                         inversion.p(-margin) <= question.equivalence_alpha;
}

// Estimate, its error and degrees are set: the rest follows by Student's t.
void judge_by_student(const EffectQuestion& question, Effect& effect) {
  effect.test = "t on log levels";
  effect.least_p = 0;
  const double error = *effect.standard_error;
  if (error <= kRounding) {
    // No spread at all, as a coarse clock gives: t is 0/0 or infinite. Exchanging sides still says something.
    effect.within_margin = std::fabs(effect.log_ratio) <= kRounding;
    effect.p = effect.within_margin ? 1 : least_sign_flip_p(static_cast<std::size_t>(effect.units));
    if (effect.within_margin) effect.interval = effect.equivalence_interval = Interval{0, 0};
    return;
  }
  effect.p = student_two_sided_p(effect.log_ratio / error, effect.degrees);
  const double half = student_quantile(0.5 + question.confidence / 2, effect.degrees) * error;
  effect.interval = Interval{effect.log_ratio - half, effect.log_ratio + half};
  const double inner_half = student_quantile(1 - question.equivalence_alpha / 2, effect.degrees) * error;
  effect.equivalence_interval = Interval{effect.log_ratio - inner_half, effect.log_ratio + inner_half};
  effect.within_margin = std::fabs(effect.log_ratio) + inner_half < steady_log1p(question.margin);
}

}  // namespace

Effect effect_of_rounds(const PairedRounds& paired, const EffectQuestion& question) {
  Effect effect;
  effect.units = static_cast<int>(paired.rounds.size());
  effect.noise = noise_of_rounds(paired.rounds);
  const RoundsTest test(paired.rounds, question.disturbed);
  if (effect.units >= kLeastRounds) {
    effect.test = "rounds";
    judge_by_relabelling(test, question, effect);
  } else {
    effect.log_ratio = paired.rounds.front().difference();
    if (effect.units >= 2) {
      const WeightedMean found = weighted_difference(paired.rounds);
      effect.log_ratio = found.mean;
      effect.standard_error = found.standard_error;
      effect.degrees = found.degrees;
      judge_by_student(question, effect);
    }
  }
  if (test.knows_slots()) effect.slot_effect = test.slot_effect(effect.log_ratio);
  return effect;
}

Effect effect_of_invocations(std::span<const LogInvocation> baseline, std::span<const LogInvocation> candidate,
                             const EffectQuestion& question) {
  Effect effect;
  effect.units = static_cast<int>(std::min(baseline.size(), candidate.size()));
  effect.noise = noise_of_invocations(baseline, candidate);
  if (effect.units >= kLeastRounds) {
    effect.test = "invocations";
    judge_by_relabelling(
        InvocationsTest({baseline.begin(), baseline.end()}, {candidate.begin(), candidate.end()}, question.disturbed),
        question, effect);
    return effect;
  }
  std::vector<double> baseline_levels;
  std::vector<double> candidate_levels;
  for (const LogInvocation& invocation : baseline) baseline_levels.push_back(invocation.level);
  for (const LogInvocation& invocation : candidate) candidate_levels.push_back(invocation.level);
  const Moments b = moments(baseline_levels);
  const Moments c = moments(candidate_levels);
  effect.log_ratio = c.mean - b.mean;
  if (effect.units < 2) return effect;
  const double b_part = b.variance / b.count;
  const double c_part = c.variance / c.count;
  effect.standard_error = std::sqrt(b_part + c_part);
  // Welch 1947, with Satterthwaite's degrees of freedom (1946).
  const double spread = b_part * b_part / (b.count - 1) + c_part * c_part / (c.count - 1);
  effect.degrees = spread > 0 ? (b_part + c_part) * (b_part + c_part) / spread : b.count + c.count - 2;
  judge_by_student(question, effect);
  return effect;
}

}  // namespace steelyard
