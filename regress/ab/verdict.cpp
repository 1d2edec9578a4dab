#include "regress/ab/verdict.hpp"

#include <algorithm>
#include <cmath>

#include "regress/ab/distributions.hpp"
#include "regress/ab/permutations.hpp"
#include "regress/ab/steady_digits.hpp"

namespace steelyard::regress {
namespace {

// What of the widened error could explain the change by itself; where either could, the larger. Absent: not even all of
// it, so that something else left the row open.
std::optional<RowNote> what_explains(const NoisyEvidence& evidence, const ComparisonRow& row) {
  const double quantile = student_or_normal_quantile(0.5 + row.confidence / 2, evidence.effect.degrees);
  const double size = std::fabs(evidence.effect.log_ratio) / quantile;
  const ErrorParts& error = evidence.error;
  if (size <= std::max(error.scatter, error.drift)) {
    return error.scatter > error.drift ? RowNote::scatter_explains : RowNote::drift_explains;
  }
  if (size <= steady_hypot(error.scatter, error.drift)) return RowNote::both_explain;
  return std::nullopt;
}

bool is_taken_back(const Family& family, const ComparisonRow& row) {
  return row.p && row.q && *row.p <= family.level && *row.q > family.level;
}

// Of sides that were not measured together.
Reason apart_reason(const NoisyEvidence& evidence, const Family& family, ComparisonRow& row) {
  if (evidence.rules == Rules::rounds_2) return why::ApartByRounds2{evidence.drift.deviation};
  why::Apart apart;
  apart.errors = evidence.error;
  apart.cause = what_explains(evidence, row);
  apart.occasions_unknown = !apart.cause && evidence.occasions_unknown;
  if (apart.occasions_unknown) apart.cause = RowNote::drift_explains;
  if (apart.cause) {
    row.notes.add(*apart.cause);
  } else if (is_taken_back(family, row)) {
    apart.open = why::AdjustedAway{family.comparisons};
  } else if (row.interval) {
    apart.open = why::NotBeyondMinimum{};
  }
  return apart;
}

Reason too_few_reason(const NoisyEvidence& evidence, const Family& family) {
  const int needed = rounds_needed(family.level, family.steps());
  if (evidence.effect.units > 1) return why::TooFewUnits{needed};
  why::OneInvocation one{needed};
  if (evidence.single_noise) {
    const bool is_within = std::fabs(evidence.effect.log_ratio) <= steady_log1p(*evidence.single_noise);
    one.noise = why::SingleNoise{*evidence.single_noise, steady_exp(evidence.effect.log_ratio), is_within};
  }
  return one;
}

Reason inconclusive_reason(const NoisyEvidence& evidence, const Family& family, ComparisonRow& row) {
  if (evidence.effect.units < kMinRounds) return too_few_reason(evidence, family);
  if (!is_concurrent(row.layout)) return apart_reason(evidence, family, row);
  if (evidence.floor_beyond) return why::FloorBeyond{*evidence.floor_beyond};
  if (!row.interval || !row.q) return why::RoundsGiveNoInterval{rounds_needed(family.level, family.steps())};
  if (*row.q <= family.level) return why::SignificantBelowMinimum{};
  if (*row.p <= family.level) return why::AdjustedAway{family.comparisons};
  if (row.interval->low > 1 || row.interval->high < 1) return why::AboveLevel{family.level};
  row.notes.add(RowNote::too_noisy);
  return why::TooNoisy{};
}

// As it was meant to, whatever the look said.
bool ended_at_first_look(const NoisyEvidence& evidence) {
  return evidence.first_look_only && !evidence.plan.empty() && !evidence.looked.looks.empty() &&
         evidence.looked.looks.back().rounds == evidence.plan.looks.front().rounds;
}

// Why a measurement that looks at its data ended without a decision; absent where the number of rounds was fixed, and
// where every answer ends with the reason.
std::optional<EndOfLooks> end_of_looks(const NoisyEvidence& evidence, const Family& family, const ComparisonRow& row) {
  if (evidence.plan.empty() || evidence.looked.looks.empty() || ended_at_first_look(evidence)) return std::nullopt;
  const int rounds = evidence.looked.looks.back().rounds;
  const int most = evidence.plan.max_rounds();
  if (rounds >= most) return EndOfLooks{LookEnd::plan_done, rounds, most};
  const StopQuestion question = stop_question(evidence, family, row);
  const auto& planned = evidence.plan.looks;
  const bool may_stop =
      std::any_of(planned.begin(), planned.end(), [&](const PlannedLook& look) { return look.rounds == rounds; });
  if (may_stop && answer_of(evidence.looked, evidence.plan, question) == LookAnswer::futile) {
    return EndOfLooks{LookEnd::futile, rounds, most};
  }
  return EndOfLooks{evidence.interrupted ? LookEnd::interrupted : LookEnd::budget_spent, rounds, most};
}

bool is_beyond_drift(const NoisyEvidence& evidence, const ComparisonRow& row) {
  return row.interval && is_beyond(*row.interval, row.minimum_effect, evidence.rules) && !evidence.occasions_unknown;
}

// An end of an interval of logarithms, as a ratio. What excludes 0 by less than the digits show excludes 1 all the
// same: interval and p never disagree.
double end_of(double log_ratio) {
  constexpr double kMinBeyond = 1e-10;  // the next number above 1 of as many digits
  const double ratio = steady(steady_exp(log_ratio));
  if (log_ratio > 0) return std::max(ratio, 1 + kMinBeyond);
  return log_ratio < 0 ? std::min(ratio, 1 - kMinBeyond) : ratio;
}

void take_over(const NoisyEvidence& evidence, ComparisonRow& row) {
  const Effect& effect = evidence.effect;
  row.test = effect.test;
  row.rounds = effect.units;
  row.ratio = steady(steady_exp(effect.log_ratio));
  row.p = effect.p;
  if (effect.interval) {
    row.interval = Interval{end_of(effect.interval->low), end_of(effect.interval->high)};
  } else if (effect.units == 1 && evidence.single_noise) {
    // What this machine was seen to do stands in for what the data do not hold.
    const double noise = 1 + *evidence.single_noise;
    row.interval = Interval{steady(*row.ratio / noise), steady(*row.ratio * noise)};
  }
  if (effect.equivalence_interval) {
    row.equivalence_interval =
        Interval{end_of(effect.equivalence_interval->low), end_of(effect.equivalence_interval->high)};
  }
  if (effect.slot_effect) row.slot_effect = steady(steady_exp(*effect.slot_effect));
  row.noise = effect.noise;
  for (std::optional<double>* part :
       {&row.noise.within, &row.noise.between, &row.noise.rounds, &row.noise.code_layout}) {
    *part = steady(*part);
  }
  row.noise.over_code_layouts = steady(row.noise.over_code_layouts);
  if (!evidence.plan.empty()) {
    row.p_kind = PKind::sequential;
    row.looks = evidence.looked.looks;
    for (Look& look : row.looks) look.p = steady(look.p);
  }
}

}  // namespace

StopQuestion stop_question(const NoisyEvidence& evidence, const Family& family, const ComparisonRow& row) {
  return {family.level,  family.shared_by(), row.q, row.minimum_effect, evidence.floor_beyond ? 0 : row.margin,
          evidence.rules};
}

RowFacts decide(const NoisyEvidence& evidence, const Family& family, ComparisonRow& row) {
  const Effect& effect = evidence.effect;
  take_over(evidence, row);
  row.minimum_detectable_effect = steady(minimum_detectable_effect(effect, family));
  if (contradicts_power(row, family.level)) row.minimum_detectable_effect.reset();
  // Where the sides were not measured together no number of rounds tells drift from change.
  if (is_concurrent(row.layout) && !evidence.floor_beyond) {
    row.rounds_wanted = rounds_that_would_decide(effect, {family, row.margin});
  }

  RowFacts facts;
  facts.unpaired = evidence.unpaired;
  facts.dropped_rounds = evidence.dropped_rounds;
  if (evidence.drift.removed) {
    facts.movement = CommonMovement{steady_exp(evidence.seen), steady_exp(evidence.drift.common),
                                    evidence.drift.benchmarks, evidence.rules == Rules::rounds_2};
  }
  const bool enough = effect.units >= kMinRounds;
  const bool concurrent = is_concurrent(row.layout);
  const bool significant = row.q && *row.q <= family.level;
  const bool relevant = is_relevant(*row.ratio, row.minimum_effect, evidence.rules);
  if (enough && significant && relevant && (concurrent || is_beyond_drift(evidence, row))) {
    const bool worse = (*row.ratio > 1) == (row.metric.better == Better::lower);
    row.verdict = worse ? Verdict::regression : Verdict::improvement;
    facts.reason = why::Changed{};
  } else if (enough && concurrent && effect.within_margin) {
    row.verdict = Verdict::unchanged;
    facts.reason = why::ShownUnchanged{};
  } else {
    row.verdict = Verdict::inconclusive;
    facts.reason = inconclusive_reason(evidence, family, row);
    facts.ended = end_of_looks(evidence, family, row);
  }
  facts.first_look_only = ended_at_first_look(evidence);
  if (facts.first_look_only) row.notes.add(RowNote::first_look_only);
  if (row.verdict != Verdict::inconclusive) row.rounds_wanted.reset();
  facts.slots_confounded = evidence.slots_confounded;
  return facts;
}

std::optional<caution::MovedTogether> moved_together(const std::string& metric, const Drift& drift,
                                                     double minimum_effect) {
  const bool is_shown = std::fabs(drift.common) >= 2 * drift.common_error;
  if (!is_shown || !is_relevant(steady_exp(drift.common), minimum_effect)) return std::nullopt;
  return caution::MovedTogether{metric, drift.benchmarks, steady_exp(drift.common), drift.common_error, drift.removed};
}

namespace {

constexpr double kPower = 0.80;

double level_of_one(const Family& family) { return family.level / family.shared_by(); }

}  // namespace

std::optional<double> minimum_detectable_effect(const Effect& effect, const Family& family) {
  const double adjusted = level_of_one(family);
  const double reachable = family.independent ? family.level : adjusted;
  if (!effect.standard_error || effect.min_p > reachable) return std::nullopt;
  const double errors =
      student_or_normal_quantile(1 - adjusted / 2, effect.degrees) + student_or_normal_quantile(kPower, effect.degrees);
  return steady_expm1(errors * *effect.standard_error);
}

bool contradicts_power(const ComparisonRow& row, double level) {
  if (!row.minimum_detectable_effect || !row.ratio || !row.q || *row.q <= level) return false;
  return std::max(*row.ratio, 1 / *row.ratio) >= 1 + *row.minimum_detectable_effect;
}

std::optional<int> rounds_that_would_decide(const Effect& effect, const RoundsQuestion& question) {
  if (!effect.standard_error || effect.units < 1) return std::nullopt;
  const double margin = steady_log1p(question.margin);
  const double size = std::fabs(effect.log_ratio);
  const double adjusted = level_of_one(question.family);
  // Inside the margin both one-sided tests at 5 % must succeed: each misses half of what the two may.
  const double errors = size > margin ? normal_quantile(1 - adjusted / 2) + normal_quantile(kPower)
                                      : normal_quantile(0.95) + normal_quantile(1 - (1 - kPower) / 2);
  const double target = size > margin ? size : margin;
  const double error_of_one = *effect.standard_error * std::sqrt(static_cast<double>(effect.units));
  const double root = errors * error_of_one / target;
  const double wanted = root * root;
  if (!(wanted < kMaxRoundsNamed)) return kMaxRoundsNamed;
  // More than there are: these did not decide.
  int rounds = std::max({static_cast<int>(std::ceil(wanted)), effect.units + 2,
                         rounds_needed(question.family.level, question.family.steps())});
  rounds += rounds % 2;
  return std::min(rounds, kMaxRoundsNamed);
}

}  // namespace steelyard::regress
