#include "regress/ab/effect.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "bench/model/quantile.hpp"
#include "regress/ab/distributions.hpp"
#include "regress/ab/permutations.hpp"
#include "regress/ab/rounds.hpp"
#include "regress/ab/shift_test.hpp"
#include "regress/ab/steady_digits.hpp"

namespace steelyard::regress {
namespace {

// Sums of equal logarithms differ by their rounding; no clock tells processes apart by so little.
constexpr double kEffectRounding = 1e-11;

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

void judge_by_permutation(const ShiftTest& test, const EffectQuestion& question, Effect& effect) {
  Inversion inversion(test);
  effect.log_ratio = inversion.estimate();
  effect.p = inversion.p(0);
  effect.min_p = test.min_p();
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
  effect.test = TestKind::levels;
  effect.min_p = 0;
  const double error = *effect.standard_error;
  if (error <= kEffectRounding) {
    // No spread at all, as a coarse clock gives: t is 0/0 or infinite. Exchanging sides still says something.
    effect.within_margin = std::fabs(effect.log_ratio) <= kEffectRounding;
    effect.p = effect.within_margin ? 1 : min_sign_flip_p(static_cast<std::size_t>(effect.units));
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
  if (effect.units >= kMinRounds) {
    effect.test = TestKind::rounds;
    judge_by_permutation(test, question, effect);
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

const Effect& EffectMemory::of_rounds(const PairedRounds& paired, const EffectQuestion& question) {
  constexpr std::size_t kMaxKnown = 32;  // two a look
  const std::vector<PairedRound>& rounds = paired.rounds;
  const auto shared = static_cast<std::ptrdiff_t>(std::min(rounds.size(), rounds_.size()));
  if (!std::equal(rounds.begin(), rounds.begin() + shared, rounds_.begin())) {
    known_.clear();
    rounds_ = rounds;
  } else if (rounds.size() > rounds_.size()) {
    rounds_.insert(rounds_.end(), rounds.begin() + shared, rounds.end());
  }
  const auto known = std::find_if(known_.begin(), known_.end(), [&](const Known& one) {
    return one.rounds == rounds.size() && one.question == question;
  });
  if (known != known_.end()) return known->effect;
  if (known_.size() == kMaxKnown) known_.erase(known_.begin());
  return known_.emplace_back(Known{rounds.size(), question, effect_of_rounds(paired, question)}).effect;
}

Effect effect_of_invocations(std::span<const LogInvocation> baseline, std::span<const LogInvocation> candidate,
                             const EffectQuestion& question) {
  Effect effect;
  effect.units = static_cast<int>(std::min(baseline.size(), candidate.size()));
  effect.noise = noise_of_invocations(baseline, candidate);
  if (effect.units >= kMinRounds) {
    effect.test = TestKind::invocations;
    judge_by_permutation(
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

namespace {

constexpr double kCutAway = 0.1;  // of the samples of an invocation, at each end
// The spread inside processes that is added to a round's own, in medians over the rounds: what the samples show is only
// part of what makes rounds differ. At 0.5 the weights trust it too much (8 % alarms at .05), at
// 1.5 alarms are 2 to 5 %.
constexpr double kCommonSpread = 1.5;

double quartile_range(std::span<const double> logs) {
  std::vector<double> sorted(logs.begin(), logs.end());
  std::sort(sorted.begin(), sorted.end());
  return quantile_of_sorted(sorted, 0.75) - quantile_of_sorted(sorted, 0.25);
}

std::vector<double> weights_of(std::span<const PairedRound> rounds) {
  std::vector<double> squares;
  std::vector<double> spreads;
  for (const PairedRound& round : rounds) {
    const double baseline = quartile_range(round.baseline.logs);
    const double candidate = quartile_range(round.candidate.logs);
    squares.push_back(baseline * baseline + candidate * candidate);
    spreads.push_back(std::sqrt(squares.back()));
  }
  const double common = kCommonSpread * median(spreads);
  // Most rounds without any spread: a coarse clock, or one sample each. Nothing tells rounds apart then.
  if (!(common > 0)) return std::vector<double>(rounds.size(), 1.0);
  std::vector<double> weights;
  for (const double square : squares) weights.push_back(1 / (common * common + square));
  return weights;
}

}  // namespace

double middle_mean(std::span<const double> logs) {
  std::vector<double> sorted(logs.begin(), logs.end());
  std::sort(sorted.begin(), sorted.end());
  const double n = static_cast<double>(sorted.size());
  const double low = kCutAway * n;
  const double high = (1 - kCutAway) * n;
  double sum = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const double from = std::max(low, static_cast<double>(i));
    const double to = std::min(high, static_cast<double>(i + 1));
    if (to > from) sum += (to - from) * sorted[i];
  }
  return sum / (high - low);
}

WeightedMean weighted_difference(std::span<const PairedRound> rounds) {
  const std::vector<double> weights = weights_of(rounds);
  std::vector<double> differences;
  for (const PairedRound& round : rounds) {
    differences.push_back(middle_mean(round.candidate.logs) - middle_mean(round.baseline.logs));
  }
  WeightedMean result;
  double total = 0;
  for (std::size_t r = 0; r < rounds.size(); ++r) {
    total += weights[r];
    result.mean += weights[r] * differences[r];
  }
  result.mean /= total;
  double squares = 0;
  for (std::size_t r = 0; r < rounds.size(); ++r) {
    squares += weights[r] * (differences[r] - result.mean) * (differences[r] - result.mean);
  }
  result.degrees = static_cast<double>(rounds.size()) - 1;
  result.standard_error = std::sqrt(squares / result.degrees / total);
  return result;
}

namespace {

constexpr double kFarthest = 40;  // logarithm of a ratio of 10^17: nothing is measured farther apart
// Of the typical error: how short a bracket is left; a line through its ends gives the rest.
constexpr double kPrecision = 0.1;
constexpr double kFinest = 0.001;  // below this the end is the estimate itself
// An interval's end lies about two typical errors from the estimate.
constexpr double kUsualDistance = 2;
constexpr double kMinP = 1e-300;
// How near to its ends a bracket is divided at most.
constexpr double kMinQuantileShare = 0.05;

// Halves [inside, outside] until it is shorter than `precision`; returns the last point where `holds` was seen true.
template <class Predicate>
double last_inside(double inside, double outside, double precision, const Predicate& holds) {
  while (std::fabs(outside - inside) > precision) {
    const double middle = 0.5 * (inside + outside);
    if (middle == inside || middle == outside) break;
    (holds(middle) ? inside : outside) = middle;
  }
  return inside;
}

// Walks from `from` in steps that double until `stops`; absent when nothing stops it.
template <class Predicate>
std::optional<double> walk(double from, double step, const Predicate& stops) {
  for (double distance = step; std::fabs(distance) < kFarthest; distance *= 2) {
    if (stops(from + distance)) return from + distance;
  }
  return std::nullopt;
}

// How many errors away a p is; grows nearly as the distance does, which is all that the search needs of it.
double errors_away(double p) { return p >= 1 ? 0 : -normal_quantile(std::max(p, kMinP) / 2); }

// Where between two points the wanted value is crossed, supposing a straight line; as a share, well within the two.
double crossing(double first, double second, double wanted) {
  const double share = (wanted - first) / (second - first);
  return std::isfinite(share) ? std::clamp(share, kMinQuantileShare, 1 - kMinQuantileShare) : 0.5;
}

// Where to look next between two points: a little beyond the crossing, seen from the nearer one, so that the two sides
// of it are soon close together; now and then the middle, because lines can creep along one end.
double next_share(double share, double precision, double length, int turn) {
  if (turn % 4 == 3) return 0.5;
  const double beyond = 0.4 * precision / length;
  return std::clamp(share < 0.5 ? share + beyond : share - beyond, kMinQuantileShare, 1 - kMinQuantileShare);
}

}  // namespace

// Neither above nor below 0 around `centre`, as heavy ties give: the middle of that range.
double Inversion::middle_of_plateau(double centre) const {
  const double precision = kPrecision * test_.step();
  const auto above = [&](double shift) { return test_.statistic(shift) > 0; };
  const auto below = [&](double shift) { return test_.statistic(shift) < 0; };
  const auto low = walk(centre, -precision, above);
  const auto high = walk(centre, precision, below);
  if (!low || !high) return centre;
  const double middle =
      0.5 * (last_inside(*low, centre, precision, above) + last_inside(*high, centre, precision, below));
  return std::fabs(middle - centre) > 2 * precision ? middle : centre;
}

double Inversion::estimate() {
  if (estimate_) return *estimate_;
  double near = test_.start();
  double near_value = test_.statistic(near);
  estimate_ = near;
  if (near_value == 0) return *(estimate_ = middle_of_plateau(near));
  const double direction = near_value > 0 ? 1 : -1;
  double far = near;
  double far_value = near_value;
  for (double distance = test_.step() / 2; far_value * direction > 0; distance *= 2) {
    if (distance > kFarthest) return *estimate_;
    near = far;
    near_value = far_value;
    far = test_.start() + direction * distance;
    far_value = test_.statistic(far);
  }
  // far_value is 0 or of the other sign.
  const double precision = kPrecision * test_.step();
  for (int turn = 0; far_value != 0 && std::fabs(far - near) > precision; ++turn) {
    const double share = next_share(crossing(near_value, far_value, 0), precision, std::fabs(far - near), turn);
    const double shift = near + share * (far - near);
    if (shift == near || shift == far) break;
    const double value = test_.statistic(shift);
    (value * direction > 0 ? near : far) = shift;
    (value * direction > 0 ? near_value : far_value) = value;
  }
  if (far_value == 0) return *(estimate_ = middle_of_plateau(far));
  // Never the start itself, which does not fit: with ties it may be 0, and 0 rejected.
  return *(estimate_ = near + crossing(near_value, far_value, 0) * (far - near));
}

double Inversion::p(double shift) {
  for (const Tried& tried : tried_) {
    if (tried.shift == shift) return tried.p;
  }
  const double found = test_.p(shift);
  tried_.push_back({shift, found});
  return found;
}

// The rejected shift nearest to the estimate on that side, of those tried; where none was, of a walk outwards.
std::optional<double> Inversion::first_rejected(double direction, double alpha) {
  const double centre = *estimate_;
  std::optional<double> nearest;
  double farthest_inside = 0;
  for (const Tried& tried : tried_) {
    const double distance = (tried.shift - centre) * direction;
    if (distance < 0) continue;
    if (tried.p > alpha) {
      farthest_inside = std::max(farthest_inside, distance);
    } else if (!nearest || distance < (*nearest - centre) * direction) {
      nearest = tried.shift;
    }
  }
  if (nearest) return nearest;
  const double first = std::max(kUsualDistance * test_.step(), 1.25 * farthest_inside);
  for (double distance = first; distance < kFarthest; distance *= 1.5) {
    const double shift = centre + direction * distance;
    if (p(shift) <= alpha) return shift;
  }
  return std::nullopt;
}

std::optional<double> Inversion::end(double direction, double alpha) {
  const double centre = *estimate_;
  const auto rejected = first_rejected(direction, alpha);
  if (!rejected) return std::nullopt;
  double outside = *rejected;
  if (outside == centre) return centre;
  double inside = centre;
  double inside_errors = 0;
  for (const Tried& tried : tried_) {
    const double distance = (tried.shift - centre) * direction;
    if (tried.p <= alpha || distance <= (inside - centre) * direction) continue;
    if (distance >= (outside - centre) * direction) continue;
    inside = tried.shift;
    inside_errors = errors_away(tried.p);
  }
  const double wanted = errors_away(alpha);
  double outside_errors = errors_away(p(outside));
  // The step is only a guess: an interval much shorter than that is found as closely for its own length.
  const double finest = kFinest * test_.step();
  double precision = kPrecision * test_.step();
  for (int turn = 0;; ++turn) {
    precision = std::clamp(kPrecision / 2 * std::fabs(outside - centre), finest, precision);
    if (std::fabs(outside - inside) <= precision) break;
    const double share =
        next_share(crossing(inside_errors, outside_errors, wanted), precision, std::fabs(outside - inside), turn);
    const double shift = inside + share * (outside - inside);
    if (shift == inside || shift == outside) break;
    const double found = p(shift);
    (found > alpha ? inside : outside) = shift;
    (found > alpha ? inside_errors : outside_errors) = errors_away(found);
  }
  const double found = inside + crossing(inside_errors, outside_errors, wanted) * (outside - inside);
  return std::fabs(found - centre) <= finest ? centre : found;
}

std::optional<Interval> Inversion::interval(double alpha) {
  if (test_.min_p() > alpha) return std::nullopt;
  estimate();
  const double p_of_no_effect = p(0);
  const auto low = end(-1, alpha);
  const auto high = end(1, alpha);
  if (!low || !high) return std::nullopt;
  if (p_of_no_effect > alpha) return Interval{std::min(*low, 0.0), std::max(*high, 0.0)};
  return Interval{*low, *high};
}

}  // namespace steelyard::regress
