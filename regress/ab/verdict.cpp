#include "regress/ab/verdict.hpp"

#include <algorithm>
#include <cmath>

#include "bench/model/number_text.hpp"
#include "regress/ab/calibrated.hpp"
#include "regress/ab/distributions.hpp"
#include "regress/ab/steady_digits.hpp"
#include "regress/compare_runs.hpp"

namespace steelyard::regress {
namespace {

std::string size_text(const ComparisonRow& row) {
  const double ratio = *row.ratio;
  const std::string size = share_text(std::fabs(ratio - 1));
  if (row.metric.unit == "ns") return size + (ratio > 1 ? " slower" : " faster");
  return size + (ratio > 1 ? " higher" : " lower");
}

std::string interval_text(const ComparisonRow& row) {
  if (!row.interval) return "";
  return share_text(row.confidence) + " interval " + range_text(*row.interval);
}

std::string units_text(const NoisyEvidence& evidence) {
  std::string text = evidence.paired ? plural_text(evidence.effect.units, "round")
                                     : plural_text(evidence.effect.units, "unpaired invocation") + " a side";
  if (evidence.dropped_rounds > 0) text += " (" + plural_text(evidence.dropped_rounds, "round") + " lacked a side)";
  return text;
}

std::string more_rounds_text(const ComparisonRow& row) {
  if (!row.rounds_wanted) return "";
  if (*row.rounds_wanted >= kMaxRoundsNamed)
    return "; even " + count_text(kMaxRoundsNamed) + " rounds of this noise may not tell";
  return "; about " + plural_text(*row.rounds_wanted, "round") + " would tell";
}

std::string measure_more_text(const Family& family) {
  return "measure at least " + plural_text(rounds_needed(family.level, family.steps()), "round");
}

std::string too_few_reason(const NoisyEvidence& evidence, const Family& family, const ComparisonRow& row) {
  if (evidence.effect.units <= 1) {
    const std::string dropped =
        evidence.dropped_rounds > 0 ? " (" + plural_text(evidence.dropped_rounds, "round") + " lacked a side)" : "";
    std::string text = "one invocation a side" + dropped + ": process-to-process variation is not in the data";
    if (evidence.single_noise) {
      const bool within = std::fabs(evidence.effect.log_ratio) <= steady_log1p(*evidence.single_noise);
      text += "; on this machine two processes of one build lie up to " + share_text(*evidence.single_noise) +
              " apart (calibrated), and " + change_text(steady_exp(evidence.effect.log_ratio)) + " is " +
              (within ? "within" : "beyond") + " that";
    }
    return text + "; " + measure_more_text(family);
  }
  const std::string least = std::to_string(kMinRounds);
  return "only " + units_text(evidence) +
         (evidence.paired ? ", where fewer than " + least + " cannot reach p = 0.05 by exchanging sides; "
                          : ", where at least " + least + " are wanted; ") +
         (is_concurrent(row.layout) ? measure_more_text(family) : "measure both builds together with `steelyard ab`");
}

// "+9.2 % were seen, less +4.1 %, the common movement estimated from 29 benchmarks"; empty where nothing was taken off.
std::string seen_text(const NoisyEvidence& evidence) {
  if (!evidence.drift.removed) return "";
  const std::string seen = change_text(steady_exp(evidence.seen)) + " were seen, ";
  const std::string common = change_text(steady_exp(evidence.drift.common));
  const std::string benchmarks = plural_text(evidence.drift.benchmarks, "benchmark");
  return evidence.told_by_rounds_2 ? seen + "of which all " + benchmarks + " share " + common
                                   : seen + "less " + common + ", the common movement estimated from " + benchmarks;
}

// Rules "rounds-2" told every row of sides that were measured apart so, whatever had widened its interval.
std::string reason_by_rounds_2(const NoisyEvidence& evidence, const ComparisonRow& row) {
  const std::string seen = seen_text(evidence);
  return std::string(row.layout == Layout::separate ? "the sides were measured on different occasions"
                                                    : "all of one side was measured before the other") +
         (seen.empty() ? ": drift of that kind" : ": " + seen + "; the drift of one alone") + " (standard deviation " +
         share_text(evidence.drift.deviation) + ") could explain the " + (seen.empty() ? "" : "remaining ") +
         change_text(*row.ratio) + "; measure both builds together with `steelyard ab`";
}

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

std::string errors_text(RowNote note, const ErrorParts& error) {
  const std::string drift = "drift " + share_text(error.drift);
  const std::string scatter = "scatter " + share_text(error.scatter);
  if (note == RowNote::drift_explains) return " (standard error of " + drift + ")";
  if (note == RowNote::scatter_explains) return " (standard error of " + scatter + ")";
  return " (standard errors: " + drift + ", " + scatter + ")";
}

std::string open_text(const Family& family, const ComparisonRow& row) {
  if (row.p && row.q && *row.p <= family.level && *row.q > family.level) {
    return "p = " + p_value_text(*row.p) + " alone, but " + p_value_text(*row.q) + " among " +
           plural_text(family.comparisons, "comparison");
  }
  if (!row.interval) return "these invocations give no interval";
  return "the " + interval_text(row) + " does not exclude a change below the minimum effect of " +
         share_text(row.minimum_effect);
}

// Of sides that were not measured together.
std::string apart_reason(const NoisyEvidence& evidence, const Family& family, ComparisonRow& row) {
  if (evidence.told_by_rounds_2) return reason_by_rounds_2(evidence, row);
  const std::string seen = seen_text(evidence);
  std::optional<RowNote> cause = what_explains(evidence, row);
  std::string text = open_text(family, row);
  const bool is_unknown = !cause && evidence.occasions_unknown;
  if (is_unknown) cause = RowNote::drift_explains;
  if (cause) {
    row.notes.add(*cause);
    text = std::string(to_text(*cause)) + "the " + (seen.empty() ? "" : "remaining ") + change_text(*row.ratio) +
           (is_unknown ? " (no calibration tells how far apart equal builds lie on two occasions)"
                       : errors_text(*cause, evidence.error));
  }
  text += row.layout == Layout::separate ? "; the sides were measured on different occasions"
                                         : "; all of one side was measured before the other";
  return text + (seen.empty() ? "" : "; " + seen) + "; measure both builds together with `steelyard ab`";
}

std::string inconclusive_reason(const NoisyEvidence& evidence, const Family& family, ComparisonRow& row) {
  const Effect& effect = evidence.effect;
  if (effect.units < kMinRounds) return too_few_reason(evidence, family, row);
  if (!is_concurrent(row.layout)) return apart_reason(evidence, family, row);
  if (evidence.floor_beyond) {
    return beyond_reason(*evidence.floor_beyond) + "; seen: " + change_text(*row.ratio) + " in " +
           units_text(evidence) + (row.interval ? ", " + interval_text(row) : "");
  }
  if (!row.interval || !row.q) {
    return plural_text(effect.units, "round") + " cannot give a " + share_text(row.confidence) + " interval; " +
           measure_more_text(family);
  }
  if (*row.q <= family.level) {
    return "the change of " + change_text(*row.ratio) + " is significant but below the minimum effect of " +
           share_text(row.minimum_effect) + ", and its 90 % interval reaches beyond the margin of " +
           share_text(row.margin) + more_rounds_text(row);
  }
  if (*row.p <= family.level) {
    return "p = " + p_value_text(*row.p) + " alone, but " + p_value_text(*row.q) + " among " +
           plural_text(family.comparisons, "comparison") + more_rounds_text(row);
  }
  if (row.interval->low > 1 || row.interval->high < 1) {
    return "p = " + p_value_text(*row.p) + " does not reach the level of " + p_value_text(family.level) +
           more_rounds_text(row);
  }
  row.notes.add(RowNote::too_noisy);
  return std::string(to_text(RowNote::too_noisy)) + units_text(evidence) + " the " + interval_text(row) +
         " holds no change and reaches beyond the margin of " + share_text(row.margin) + more_rounds_text(row);
}

// As it was meant to, whatever the look said.
bool ended_at_first_look(const NoisyEvidence& evidence) {
  return evidence.first_look_only && !evidence.plan.empty() && !evidence.looked.looks.empty() &&
         evidence.looked.looks.back().rounds == evidence.plan.looks.front().rounds;
}

// Why a measurement that looks at its data ended without a decision; empty where the number of rounds was fixed, and
// where every answer ends with the reason.
std::string stop_text(const NoisyEvidence& evidence, const Family& family, const ComparisonRow& row) {
  if (evidence.plan.empty() || evidence.looked.looks.empty() || ended_at_first_look(evidence)) return "";
  const int rounds = evidence.looked.looks.back().rounds;
  const int most = evidence.plan.max_rounds();
  if (rounds >= most) return "; all " + plural_text(most, "planned round") + " were measured";
  const StopQuestion question = stop_question(evidence, family, row);
  const auto& planned = evidence.plan.looks;
  const bool may_stop =
      std::any_of(planned.begin(), planned.end(), [&](const PlannedLook& look) { return look.rounds == rounds; });
  if (may_stop && answer_of(evidence.looked, evidence.plan, question) == LookAnswer::futile) {
    return "; stopped after " + plural_text(rounds, "round") + ", as a decision within " + std::to_string(most) +
           " was unlikely";
  }
  return (evidence.interrupted ? "; interrupted after " : "; budget spent after ") + plural_text(rounds, "round") +
         " of up to " + std::to_string(most);
}

bool excludes_the_minimum_effect(const ComparisonRow& row) {
  return row.interval && (row.interval->low >= 1 + row.minimum_effect || row.interval->high <= 1 - row.minimum_effect);
}

bool is_beyond_drift(const NoisyEvidence& evidence, const ComparisonRow& row) {
  return excludes_the_minimum_effect(row) && !evidence.occasions_unknown;
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
    row.p_kind = "sequential";
    row.looks = evidence.looked.looks;
    for (Look& look : row.looks) look.p = steady(look.p);
  }
}

}  // namespace

StopQuestion stop_question(const NoisyEvidence& evidence, const Family& family, const ComparisonRow& row) {
  return {family.level, family.shared_by(), row.q, row.minimum_effect, evidence.floor_beyond ? 0 : row.margin};
}

void decide(const NoisyEvidence& evidence, const Family& family, ComparisonRow& row) {
  const Effect& effect = evidence.effect;
  take_over(evidence, row);
  row.minimum_detectable_effect = steady(minimum_detectable_effect(effect, family));
  // Where the sides were not measured together no number of rounds tells drift from change.
  if (is_concurrent(row.layout) && !evidence.floor_beyond) {
    row.rounds_wanted = rounds_that_would_decide(effect, {family, row.margin});
  }

  const bool enough = effect.units >= kMinRounds;
  const bool concurrent = is_concurrent(row.layout);
  const bool significant = row.q && *row.q <= family.level;
  const bool relevant = std::fabs(*row.ratio - 1) >= row.minimum_effect;
  if (enough && significant && relevant && (concurrent || is_beyond_drift(evidence, row))) {
    const bool worse = (*row.ratio > 1) == (row.metric.better == Better::lower);
    row.verdict = worse ? Verdict::regression : Verdict::improvement;
    row.reason = size_text(row) + " in " + units_text(evidence) + ", " + interval_text(row) + ", adjusted p " +
                 p_value_text(*row.q);
    if (!concurrent) row.reason += ", more than drift between the sides explains";
    if (const std::string seen = seen_text(evidence); !seen.empty()) row.reason += " (" + seen + ")";
  } else if (enough && concurrent && effect.within_margin) {
    row.verdict = Verdict::unchanged;
    row.reason = "shown to lie within the margin of " + share_text(row.margin) + ": " + change_text(*row.ratio) +
                 " in " + units_text(evidence) + ", " + interval_text(row);
  } else {
    row.verdict = Verdict::inconclusive;
    row.reason = inconclusive_reason(evidence, family, row) + stop_text(evidence, family, row);
  }
  if (ended_at_first_look(evidence)) {
    row.reason += "; " + std::string(to_text(RowNote::first_look_only));
    row.notes.add(RowNote::first_look_only);
  }
  if (row.verdict != Verdict::inconclusive) row.rounds_wanted.reset();
  if (evidence.slots_confounded) {
    row.reason += "; no round is known to have the other order, so an effect of the slot is part of this figure";
  }
}

std::string drift_warning(const std::string& metric, const Drift& drift, double minimum_effect) {
  const double size = std::fabs(drift.common);
  if (size < steady_log1p(minimum_effect) || size < 2 * drift.common_error) return "";
  const std::string moved = "the common movement of " + plural_text(drift.benchmarks, "benchmark") + " in " + metric +
                            " is estimated as " + change_text(steady_exp(drift.common)) + " (standard error " +
                            share_text(drift.common_error) + "): ";
  if (!drift.removed) return moved + "that is more than a machine drifts, and was not taken off";
  return moved + "the machine, or a change that touches most of them; it was taken off every row; measure both sides " +
         "together to tell (steelyard ab)";
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
