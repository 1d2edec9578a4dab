#include "ci/report/explain.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <variant>

#include "bench/model/number_text.hpp"
#include "bench/model/quantile.hpp"
#include "ci/report/reason_text.hpp"
#include "ci/report/row_text.hpp"
#include "regress/ab/calibrated.hpp"
#include "regress/ab/code_layout.hpp"
#include "regress/ab/effect.hpp"
#include "regress/ab/match.hpp"
#include "regress/ab/rounds.hpp"
#include "regress/ab/steady_digits.hpp"
#include "regress/ab/verdict.hpp"
#include "regress/compare_runs.hpp"

namespace steelyard::ci {
namespace {

constexpr std::size_t kMaxDifferences = 16;

// With its unit; whole thousands apart, where more digits than three are wanted: "121,034 ns".
std::string unscaled_text(double value, const std::string& metric_unit) {
  const std::string unit = metric_unit == "count" ? "" : metric_unit;
  constexpr double kWholeFrom = 100;
  if (!(std::fabs(value) >= kWholeFrom) || !std::isfinite(value)) return number_text(value, unit);
  return count_text(std::round(value)) + (unit.empty() ? "" : " " + unit);
}

struct SideCounts {
  std::size_t invocations = 0;
  std::size_t samples = 0;
  std::size_t disturbed = 0;  // of these invocations
  std::size_t excluded = 0;   // invocations that are kept and not judged, since their rounds were measured again
  std::size_t excluded_disturbed = 0;  // of them; of the rest the other side of the round was
};

SideCounts counts_of(const Run& run, const regress::MatchedSide& side) {
  SideCounts counts;
  const auto is_disturbed = [&run](const InvocationSamples& samples) {
    return samples.invocation < run.invocations.size() && !run.invocations[samples.invocation].disturbed_by.empty();
  };
  for (const Measurement* measurement : side.measurements) {
    counts.excluded += measurement->excluded.size();
    for (const InvocationSamples& samples : measurement->excluded) counts.excluded_disturbed += is_disturbed(samples);
    for (const InvocationSamples& samples : measurement->invocations) {
      ++counts.invocations;
      counts.samples += samples.values.size();
      counts.disturbed += is_disturbed(samples);
    }
  }
  return counts;
}

std::string side_text(const std::string& side, const SideCounts& counts) {
  std::string text = side + ' ' + plural_text(counts.samples, "sample") + " in " +
                     plural_text(counts.invocations, "process", "processes");
  if (counts.disturbed > 0) text += ", " + std::to_string(counts.disturbed) + " disturbed";
  if (counts.excluded == 0) return text;
  return text + ", " + std::to_string(counts.excluded) + " excluded (" + std::to_string(counts.excluded_disturbed) +
         " disturbed, " + std::to_string(counts.excluded - counts.excluded_disturbed) +
         " of a round that was measured again for the other side)";
}

std::string policy_step(const ComparisonPolicy& policy, const ComparisonRow& row) {
  std::string text = policy_text(policy, row);
  if (text.empty() && row.owner.empty()) return "";
  if (text.empty()) text = "as for all benchmarks";
  return "policy: " + text + (row.owner.empty() ? "" : "; owner " + row.owner);
}

std::string family_text(const ComparisonRow& row, const Comparison& comparison) {
  const auto count = std::count_if(comparison.rows.begin(), comparison.rows.end(),
                                   [](const ComparisonRow& other) { return other.q.has_value(); });
  const double level = comparison.policy.false_alarm_rate;
  // Rounds too few for the permutation test are in no joint permutation either.
  const char* const how = !regress::is_jointly_adjusted(comparison, row) ? " (Holm)"
                          : row.test == TestKind::rounds                 ? " (jointly, step-down maxT)"
                                                                         : " (times the number of comparisons)";
  return "family: among " + plural_text(count, "comparison") + " q = " + p_value_text(*row.q) + how + ", which is " +
         (*row.q <= level ? "at most" : "above") + " the level of " + p_value_text(level);
}

std::string effect_text(const ComparisonRow& row) {
  std::string text = "effect: " + change_text(*row.ratio);
  if (row.interval) text += ", " + share_text(row.confidence) + " interval " + range_text(*row.interval, *row.ratio);
  if (row.equivalence_interval) text += ", 90 % interval " + range_text(*row.equivalence_interval, *row.ratio);
  return text + "; minimum effect " + share_text(row.minimum_effect) + ", margin of unchanged " +
         share_text(row.margin);
}

std::string power_text(const ComparisonRow& row) {
  return "power: changes from " + detectable_text(*row.minimum_detectable_effect) +
         " on are found in 4 of 5 tries by data like these";
}

std::string verdict_text(const ComparisonRow& row) {
  return "verdict: " + std::string(to_text(row.verdict)) + (row.reason.empty() ? "" : ": " + shown_reason(row));
}

std::string gate_text(const ComparisonRow& row) { return "gate: it does not gate: " + row.gate_note; }

// Of a row that was judged with a baseline beside it, of a count, or of one that is missing.
class Explainer {
 public:
  Explainer(const Run& baseline, const Run& candidate, const Comparison& comparison)
      : baseline_(baseline), candidate_(candidate), comparison_(comparison) {}

  std::vector<std::string> steps(const regress::Matched& matched, const ComparisonRow& row) {
    steps_.clear();
    if (!matched.baseline.measurements.empty() || !matched.candidate.measurements.empty()) measured(matched, row);
    if (std::string policy = policy_step(comparison_.policy, row); !policy.empty()) add_step(std::move(policy));
    levels(row);
    if (row.metric.kind == MetricKind::counted) {
      counted(row);
    } else if (row.ratio) {
      rounds(matched, row);
      noise(row);
      code_layout(row);
      copies(row);
      drift(row);
      test(row);
      looks(row);
      family(row);
      interval(row);
      alone(row);
    }
    verdict(row);
    return std::move(steps_);
  }

 private:
  void add_step(std::string step) { steps_.push_back(std::move(step)); }

  void measured(const regress::Matched& matched, const ComparisonRow& row) {
    std::string text = "measured: " + row.metric.name +
                       (row.metric.unit.empty() || row.metric.unit == "count" ? "" : " in " + row.metric.unit) + " (" +
                       std::string(to_text(row.metric.better)) + " is better), ";
    text += row.metric.kind == MetricKind::counted
                ? std::string("counted over the ") + std::string(to_text(row.count_scope))
                : std::string(to_text(row.layout));
    text += "; " + side_text("baseline", counts_of(baseline_, matched.baseline)) + "; " +
            side_text("candidate", counts_of(candidate_, matched.candidate));
    add_step(std::move(text));
  }

  void levels(const ComparisonRow& row) {
    if (!row.baseline || !row.candidate) return;
    const char* how = row.metric.kind == MetricKind::counted
                          ? " (medians of the counts)"
                          : " (medians over the processes of the medians of their samples, on logarithms: the middle "
                            "of two is the geometric one)";
    add_step("levels: baseline " + unscaled_text(*row.baseline, row.metric.unit) + ", candidate " +
             unscaled_text(*row.candidate, row.metric.unit) + how);
  }

  void counted(const ComparisonRow& row) {
    if (row.test != TestKind::exact) return;
    const double jitter = row.jitter.value_or(0);
    // Repeats of what is 0 on both sides have nothing that they could be a share of.
    const bool has_no_tolerance = row.verdict == Verdict::inconclusive && !row.jitter;
    add_step(has_no_tolerance ? "test: exact; repeats of this count differ about a median of 0"
                              : "test: exact; the tolerance is the jitter of this count, " +
                                    (jitter > 0 ? small_share_text(jitter) : std::string("0")));
    if (row.ratio) {
      add_step("change: " + change_text(*row.ratio) + "; minimum effect of counts " + share_text(row.minimum_effect));
    }
  }

  void rounds(const regress::Matched& matched, const ComparisonRow& row) {
    // The t test is of rounds where a session pairs them.
    const bool few = row.test == TestKind::levels && !baseline_.header.session.empty();
    if (row.test != TestKind::rounds && !few) return;
    const auto baseline = regress::log_invocations(baseline_, matched.baseline.measurements);
    const auto candidate = regress::log_invocations(candidate_, matched.candidate.measurements);
    const auto* b = std::get_if<std::vector<regress::LogInvocation>>(&baseline);
    const auto* c = std::get_if<std::vector<regress::LogInvocation>>(&candidate);
    if (b == nullptr || c == nullptr) return;
    const regress::PairedRounds paired = regress::pair_rounds(*b, *c);
    if (paired.rounds.empty()) return;
    std::vector<double> differences;
    std::string list;
    for (const regress::PairedRound& round : paired.rounds) {
      differences.push_back(round.difference());
      if (differences.size() > kMaxDifferences) continue;
      list += (list.empty() ? "" : ", ") + plain_change_text(regress::steady_exp(round.difference()));
    }
    if (differences.size() > kMaxDifferences) list += ", ...";
    const auto above = std::count_if(differences.begin(), differences.end(), [](double d) { return d > 0; });
    std::sort(differences.begin(), differences.end());
    add_step(
        "rounds: candidate over baseline " + list + "; above in " + std::to_string(above) + " of " +
        std::to_string(differences.size()) + ", median " + plain_change_text(regress::steady_exp(median(differences))) +
        ", half of them from " + plain_change_text(regress::steady_exp(quantile_of_sorted(differences, 0.25))) +
        " to " + plain_change_text(regress::steady_exp(quantile_of_sorted(differences, 0.75))) +
        (paired.dropped > 0 ? "; " + plural_text(paired.dropped, "round") + " lacked a side and took no part" : ""));
    if (row.slot_effect) {
      add_step("slots: the second (in time, or the second core) measured " + change_text(*row.slot_effect) +
               " over the first, whichever build was in it");
    }
  }

  void noise(const ComparisonRow& row) {
    std::string text;
    const auto add = [&](const std::optional<double>& part, const char* what) {
      if (part) text += (text.empty() ? "noise: " : ", ") + share_text(*part) + ' ' + what;
    };
    add(row.noise.within, "among the samples of one process");
    add(row.noise.between, "among the processes of one build");
    add(row.noise.rounds, "from round to round, which both sides of a round share");
    if (!text.empty()) add_step(text + " (standard deviations)");
  }

  void code_layout(const ComparisonRow& row) {
    const std::string text = code_layout_text(row);
    if (!text.empty()) {
      add_step("code layout: " + text + "; the same code, linked in other orders");
    } else if (is_concurrent(row.layout) && regress::mutual_code_layouts(baseline_.header, candidate_.header).empty()) {
      add_step("code layout: each build has one, whose luck is part of the change and of no interval (--relink)");
    } else if (is_concurrent(row.layout)) {
      add_step("code layout: too few rounds to tell what it makes of the change");
    }
  }

  void copies(const ComparisonRow& row) {
    if (!comparison_.calibration) return;
    const CalibratedBenchmark* known =
        regress::CalibratedNoise(&*comparison_.calibration).find(row.benchmark, row.metric.name);
    if (known == nullptr || !known->copies || !known->processes) return;
    add_step("copies: of the noise between processes, copies of the program make " + share_text(*known->copies) +
             ", processes of one copy " + share_text(*known->processes) + " (calibrated on " +
             date_text(comparison_.calibration->at_unix_s) + ")");
  }

  void drift(const ComparisonRow& row) {
    for (const SharedDrift& drift : comparison_.drifts) {
      if (drift.metric != row.metric.name) continue;
      const std::string common = "drift: the common movement of " + plural_text(drift.benchmarks, "benchmark") +
                                 " is estimated as " + change_text(drift.ratio) + "; ";
      const std::string own = "; single ones are taken to drift by " + share_text(drift.deviation) +
                              " around it (standard deviation), which widens the interval";
      add_step(common + (is_concurrent(row.layout) ? "it was not taken off, because the sides were measured together"
                         : drift.removed           ? "it was taken off" + own
                                                   : "it is more than machines drift, and was not taken off" + own));
      return;
    }
    if (!is_concurrent(row.layout)) {
      add_step(
          "drift: the sides were not measured together, and fewer than 5 benchmarks cannot tell what the machine did " +
          std::string(
              "between them; the interval is widened by what machines do, or by how far processes of one side lie ") +
          "apart where that is more");
    }
  }

  void test(const ComparisonRow& row) {
    if (!row.p) {
      add_step("test: none; one process a side holds nothing of how much processes differ");
      return;
    }
    std::string text = "test: ";
    if (row.test == TestKind::rounds) {
      text +=
          "if the builds are equal, their labels within a round could as well be the other way round; of all such " +
          std::string("permutations of ") + plural_text(row.rounds, "round") +
          " p is the share that sets the sides at least as far apart, by ranks of the samples";
    } else if (row.test == TestKind::invocations) {
      text += "permutation of the processes of both sides, which no rounds pair, by ranks of the samples";
    } else if (row.test == TestKind::drift_widened) {
      text += "Student's t of the effect over its error, in which the drift between the sides and the likeness of " +
              std::string("neighbouring processes are counted");
    } else {
      text += std::string(to_text(row.test)) + " of the processes, because fewer than " +
              std::to_string(regress::kMinRounds) + " rounds cannot be permuted to p = 0.05";
    }
    add_step(has_adjusted_p(row) ? text : text + "; p = " + p_value_text(*row.p));
  }

  // Of a design that looked more than once p is not that of its last look.
  static bool has_adjusted_p(const ComparisonRow& row) {
    return row.p && !row.looks.empty() && row.rounds >= regress::kMinRounds;
  }

  void looks(const ComparisonRow& row) {
    if (!has_adjusted_p(row)) return;
    std::string text = "looks: ";
    for (const Look& look : row.looks) {
      if (&look != &row.looks.front()) text += ", ";
      text += "after " + plural_text(look.rounds, "round") + " p = " + p_value_text(look.p) + " (may spend " +
              share_text(look.share) + " of the level)";
    }
    add_step(text + "; p = " + p_value_text(*row.p) +
             ", the least of each over its share, holds at whichever look it ended");
  }

  void family(const ComparisonRow& row) {
    if (!row.q) return;
    std::string text = family_text(row, comparison_);
    if (row.discovery_q) text += "; for ranking " + p_value_text(*row.discovery_q) + " (false discovery rate)";
    add_step(std::move(text));
  }

  void interval(const ComparisonRow& row) {
    const bool is_calibrated = regress::has_calibrated_margin(comparison_, row);
    add_step(effect_text(row) + (is_calibrated ? " (the noise floor that calibration found)" : ""));
    if (row.minimum_detectable_effect) add_step(power_text(row));
  }

  void alone(const ComparisonRow& row) {
    if (!row.solo) return;
    const SoloCheck& solo = *row.solo;
    add_step((solo.agrees ? "alone: in " : "not confirmed alone: in ") + plural_text(solo.rounds, "round") +
             " in turns with nothing beside it " + change_text(solo.ratio) +
             (solo.interval ? " (" + range_text(*solo.interval, solo.ratio) + ")" : "") + ", " +
             (!solo.agrees   ? "too wide to tell"
              : *solo.agrees ? "which agrees"
                             : "which contradicts what was seen side by side"));
  }

  void verdict(const ComparisonRow& row) {
    add_step(verdict_text(row));
    if (!row.gate_note.empty()) add_step(gate_text(row));
    const std::string other = other_answer(row);
    if (!other.empty()) add_step("another answer: " + other);
  }

  // What would have to be different for another verdict.
  std::string other_answer(const ComparisonRow& row) const {
    const bool changed = is_change(row.verdict);
    if (row.metric.kind == MetricKind::counted) {
      if (!changed || !row.ratio || !row.gates) return "";  // from a count of 0 there is no ratio
      if (row.creep && row.creep->beyond) return "none, unless the level were accepted, or released";
      return "none, unless counted_minimum_effect were above " + small_share_text(std::fabs(*row.ratio - 1)) +
             " (it would be reported, not gating)";
    }
    if (changed) {
      std::string text = "a minimum effect above " + share_text(std::fabs(*row.ratio - 1));
      if (row.q) text += ", or a false alarm rate below " + p_value_text(*row.q);
      return text;
    }
    if (row.verdict == Verdict::unchanged && row.equivalence_interval) {
      const double needed = std::max(row.equivalence_interval->high, 1 / row.equivalence_interval->low) - 1;
      return "a margin below " + share_text(needed) + " would leave it open";
    }
    if (row.verdict != Verdict::inconclusive || !row.ratio) return "";
    if (!is_concurrent(row.layout)) return "measure both sides together: steelyard ab BASELINE CANDIDATE";
    if (row.notes.has(RowNote::contradicted_alone)) return "measured in turns: --layout interleaved";
    if (!row.rounds_wanted) return "";
    // The most that is named stands for itself and all beyond it.
    if (*row.rounds_wanted >= regress::kMaxRoundsNamed)
      return count_text(regress::kMaxRoundsNamed) + " rounds of this noise, or more";
    return "about " + plural_text(*row.rounds_wanted, "round") + " of this noise";
  }

  const Run& baseline_;
  const Run& candidate_;
  const Comparison& comparison_;
  std::vector<std::string> steps_;
};

// Of judge_against_history: a prediction decided it.
bool is_by_history(const ComparisonRow& row) {
  return row.metric.kind == MetricKind::noisy && row.layout == Layout::separate &&
         (row.rounds > 0 || row.verdict == Verdict::incomparable);
}

std::string history_levels_text(const ComparisonRow& row) {
  std::string text = "levels: ";
  if (row.baseline) {
    text += "history " + number_text(*row.baseline, row.metric.unit) + " (mean of the logarithms of " +
            plural_text(row.rounds, "occasion") + " since the last confirmed change)";
  }
  if (row.baseline && row.candidate) text += ", ";
  if (row.candidate) {
    text += "candidate " + number_text(*row.candidate, row.metric.unit) + " (median over its processes)";
  }
  return text;
}

std::vector<std::string> history_steps(const ComparisonRow& row, const Comparison& comparison) {
  std::vector<std::string> steps;
  steps.push_back("measured: " + row.metric.name + " (" + std::string(to_text(row.metric.better)) +
                  " is better), the candidate alone; its baseline is what this machine measured on other occasions");
  if (std::string policy = policy_step(comparison.policy, row); !policy.empty()) steps.push_back(std::move(policy));
  if (row.baseline || row.candidate) steps.push_back(history_levels_text(row));
  if (row.p) {
    if (row.noise.between) {
      steps.push_back("noise: one more occasion lies within " + share_text(*row.noise.between) +
                      " of that level as a rule (standard deviation): what lies between occasions, how well the level "
                      "is known, and the candidate's own noise where it has fewer processes than they");
    }
    steps.push_back(
        "test: Student's t of the change over that noise, on logarithms, with few degrees of freedom "
        "because occasions have heavy tails; p = " +
        p_value_text(*row.p));
    if (row.q) steps.push_back(family_text(row, comparison));
  }
  if (row.ratio) steps.push_back(effect_text(row));
  if (row.minimum_detectable_effect) steps.push_back(power_text(row));
  steps.push_back(verdict_text(row));
  if (!row.gate_note.empty()) steps.push_back(gate_text(row));
  return steps;
}

}  // namespace

std::vector<Explanation> explain(const Run& baseline, const Run& candidate, const Comparison& comparison,
                                 std::string_view part) {
  std::vector<std::string> warnings;
  std::map<std::pair<std::string, std::string>, regress::Matched> matched;
  for (regress::Matched& one : regress::match_runs(baseline, candidate, comparison.policy, warnings,
                                                   regress::rules_of(comparison.rule_version))) {
    std::pair<std::string, std::string> key{one.benchmark, one.metric};
    matched.emplace(std::move(key), std::move(one));
  }
  Explainer explainer(baseline, candidate, comparison);
  std::vector<Explanation> result;
  for (const ComparisonRow& row : comparison.rows) {
    if (!part.empty() && part != kExplainAll && row.benchmark.find(part) == std::string::npos) continue;
    const auto at = matched.find({row.benchmark, row.metric.name});
    const regress::Matched nothing{row.benchmark, row.metric.name, {}, {}};
    result.push_back({row.benchmark, row.metric.name,
                      comparison.history && is_by_history(row)
                          ? history_steps(row, comparison)
                          : explainer.steps(at == matched.end() ? nothing : at->second, row)});
  }
  return result;
}

}  // namespace steelyard::ci
