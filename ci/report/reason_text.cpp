#include "ci/report/reason_text.hpp"

#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "bench/model/calibration.hpp"
#include "bench/model/number_text.hpp"
#include "bench/model/text.hpp"
#include "ci/report/row_text.hpp"
#include "regress/ab/rules.hpp"
#include "regress/ab/verdict.hpp"
#include "regress/history/prediction.hpp"

namespace steelyard::ci {
namespace {

namespace why = regress::why;
using regress::WhichSide;

// Of what others said (a child's last words, a count's key) a sentence shows at most this much; archives have it whole.
constexpr std::size_t kMaxFailureText = 300;
constexpr std::size_t kMaxKeyText = 120;
constexpr std::size_t kMaxFactsNamed = 3;
constexpr std::size_t kShownItemDigits = 12;

constexpr std::string_view kTogether = "; measure both builds together with `steelyard ab`";
constexpr std::string_view kBesideParent = "; measure it beside its parent";
constexpr std::string_view kSomeConditions = "; what is left of its values may be of some conditions only";

std::string side_text(WhichSide side) { return side == WhichSide::baseline ? "the baseline" : "the candidate"; }
WhichSide other_side(WhichSide side) {
  return side == WhichSide::baseline ? WhichSide::candidate : WhichSide::baseline;
}

std::string skip_text(const why::OwnSkip& skip) {
  std::string text = "skipped it";
  if (skip.by_error) text += " with an error";
  if (skip.in_part) text += " in part of its repetitions";
  return skip.words.empty() ? text + " and did not say why" : text + ": " + cut_at_bytes(skip.words, kMaxFailureText);
}

std::string key_text(const std::vector<std::string>& parts) {
  if (parts.empty()) return "nothing more";
  return cut_at_bytes(joined_text(parts, ", "), kMaxKeyText, "...");
}

std::string defect_text(const regress::Defect& defect) {
  switch (defect.kind) {
    case regress::DefectKind::unknown_invocation:
      return "its samples name invocation " + std::to_string(defect.invocation) + " of " +
             std::to_string(defect.invocations);
    case regress::DefectKind::impossible_round:
      return "its invocation " + std::to_string(defect.invocation) + " is of round " + std::to_string(defect.round) +
             ", wanted 0 to " + std::to_string(regress::kRoundsLimit - 1);
    case regress::DefectKind::no_logarithm:
      return "round " + std::to_string(defect.round + 1) + " has the value " + number_text(defect.value, defect.unit) +
             ", which has no logarithm";
    case regress::DefectKind::no_samples:
      break;
  }
  return "it has no samples";
}

std::string interval_text(const ComparisonRow& row, Figures figures = Figures::kept) {
  if (!row.interval) return "";
  return share_text(row.confidence) + " interval " + range_figure(*row.interval, row.ratio.value_or(1), figures);
}

std::string size_text(const ComparisonRow& row, Figures figures) {
  std::string size = figures == Figures::kept ? share_text(std::fabs(*row.ratio - 1)) : change_text(*row.ratio);
  if (size.starts_with('+') || size.starts_with('-')) size.erase(0, 1);
  const bool is_time = row.metric.unit == "ns";
  if (*row.ratio > 1) return size + (is_time ? " slower" : " higher");
  return size + (is_time ? " faster" : " lower");
}

std::string more_rounds_text(const ComparisonRow& row) {
  if (!row.rounds_wanted) return "";
  if (*row.rounds_wanted >= regress::kMaxRoundsNamed)
    return "; even " + count_text(regress::kMaxRoundsNamed) + " rounds of this noise may not tell";
  return "; about " + plural_text(*row.rounds_wanted, "round") + " would tell";
}

std::string measure_more_text(int rounds) { return "measure at least " + plural_text(rounds, "round"); }

std::string dropped_text(const regress::RowFacts& facts) {
  return facts.dropped_rounds > 0 ? " (" + plural_text(facts.dropped_rounds, "round") + " lacked a side)" : "";
}

// "1 and 12 invocations"; empty where both sides have as many, or rounds pair them.
std::string uneven_text(const regress::RowFacts& facts, const std::string& what) {
  if (!facts.unpaired || facts.unpaired->baseline == facts.unpaired->candidate) return "";
  return std::to_string(facts.unpaired->baseline) + " and " + std::to_string(facts.unpaired->candidate) + " " + what;
}

std::string units_text(const ComparisonRow& row, const regress::RowFacts& facts) {
  const std::string uneven = uneven_text(facts, "unpaired invocations");
  const std::string even =
      facts.unpaired ? plural_text(row.rounds, "unpaired invocation") + " a side" : plural_text(row.rounds, "round");
  return (uneven.empty() ? even : uneven) + dropped_text(facts);
}

// "+9.2 % were seen, less +4.1 %, the common movement estimated from 29 benchmarks"; empty where nothing was taken off.
std::string movement_text(const std::optional<regress::CommonMovement>& movement) {
  if (!movement) return "";
  const std::string seen = plain_change_text(movement->seen) + " were seen, ";
  const std::string common = plain_change_text(movement->common);
  const std::string benchmarks = plural_text(movement->benchmarks, "benchmark");
  return movement->by_rounds_2 ? seen + "of which all " + benchmarks + " share " + common
                               : seen + "less " + common + ", the common movement estimated from " + benchmarks;
}

std::string errors_text(RowNote cause, const regress::ErrorParts& error) {
  const std::string drift = "drift " + share_text(error.drift);
  const std::string scatter = "scatter " + share_text(error.scatter);
  if (cause == RowNote::drift_explains) return " (standard error of " + drift + ")";
  if (cause == RowNote::scatter_explains) return " (standard error of " + scatter + ")";
  return " (standard errors: " + drift + ", " + scatter + ")";
}

std::string adjusted_text(const ComparisonRow& row, const why::AdjustedAway& adjusted) {
  return "p = " + p_value_text(*row.p) + " alone, but " + p_value_text(*row.q) + " among " +
         plural_text(adjusted.comparisons, "comparison");
}

std::string beyond_text(double floor) {
  return "equal builds of it were seen up to " + share_text(floor) +
         " apart on this machine (calibrated), beyond the " + share_text(kMaxCalibratedMargin) +
         " that may be called unchanged; calibrate again when it is quiet, or gate its instructions";
}

std::string counted_unit(const Metric& metric) {
  if (metric.name == kInstructions) return " instructions an iteration";
  return metric.unit.empty() || metric.unit == "count" ? " " + metric.name : " " + metric.unit;
}

std::string counts_text(const ComparisonRow& row, Figures figures) {
  return count_text(*row.baseline) + " -> " + count_text(*row.candidate) + counted_unit(row.metric) +
         (row.ratio && *row.ratio != 1 ? " (" + change_figure(*row.ratio, figures) + ")" : "");
}

std::string manner_text(CountScope scope, double jitter) {
  if (scope == CountScope::whole_functions) return "counted over whole functions, set-up included";
  if (scope == CountScope::whole_program) return "counted over the whole program";
  return jitter > 0 ? "counted" : "counted exactly";
}

// "23 occasions since 1a2b3c4d5".
std::string occasions_text(const ComparisonRow& row, const std::string& since) {
  return plural_text(row.rounds, "occasion") + (since.empty() ? "" : " since " + shown_sha(since));
}

std::string obstacle_text(const ComparisonRow& row, why::PredictionObstacle obstacle) {
  switch (obstacle) {
    case why::PredictionObstacle::no_finite_value:
      return "the candidate has no finite value";
    case why::PredictionObstacle::not_positive:
      return "not all of its values are positive, so that there is no ratio";
    case why::PredictionObstacle::too_few_occasions:
      return "its level stands on " + plural_text(row.rounds, "occasion") + ", and " +
             std::to_string(regress::kMinPredictingValues) + " are needed to know how far occasions lie apart";
    case why::PredictionObstacle::no_ratio:
      return "it lies so far off its level that no number holds the ratio";
    case why::PredictionObstacle::one_process:
      return "the candidate is one process, where its points stand on more";
    case why::PredictionObstacle::no_level:
      break;
  }
  return "nothing of it was measured on this machine before";
}

std::string lack_text(why::BaselineLack lack) {
  switch (lack) {
    case why::BaselineLack::direction:
      return "nobody said which direction of it is better";
    case why::BaselineLack::this_machine:
      return "it was measured on other machines only";
    case why::BaselineLack::this_unit:
      return "the store has it in another unit or direction only";
    case why::BaselineLack::values:
      break;
  }
  return "the store has no measurement of it";
}

// The beginning of a reason, of each alternative of regress::Reason.
struct ReasonWords {
  const ComparisonRow& row;
  const regress::RowFacts& facts;
  const regress::Judged& comparison;

  std::string operator()(std::monostate) const { return ""; }

  std::string operator()(const why::OnDifferentMachines&) const {
    if (!comparison.machines) return "";
    const std::vector<FactDifference>& all = comparison.machines->facts;
    const std::string named = some_joined(all, kMaxFactsNamed, "; ", "; and ", [](const FactDifference& fact) {
      return fact.name + ": " + both_sides_text(fact);
    });
    return (comparison.machines->is_sure ? "measured on different machines ("
                                         : "not known to be measured on one machine (") +
           named + ")";
  }
  std::string operator()(const why::WithoutDirection& without) const {
    return "it declares no better direction in " + plural_text(without.benchmarks, "benchmark") +
           ", so it is recorded and not judged";
  }
  std::string operator()(const why::MeasuredByNobody& by_nobody) const {
    if (by_nobody.table.empty()) {
      return "no benchmark measured it; the policy names it, so take it from the policy or let a benchmark report it";
    }
    return "no benchmark measured it that the policy of " + by_nobody.table +
           " gates by it; take it from there or let such a benchmark report it";
  }
  std::string operator()(const why::Failed& failed) const {
    const std::string words = cut_at_bytes(to_text(failed.failure), kMaxFailureText);
    const std::int32_t round = failed.failure.round;
    // What was kept before is verified by its words.
    const bool had_no_joint = regress::rules_of(comparison.comparison.rule_version) < regress::Rules::rounds_6;
    const std::string place = round >= 0 ? " in round " + std::to_string(round + 1) + ": " : had_no_joint ? " " : ": ";
    return (failed.side == WhichSide::both ? "both sides failed, the candidate" : side_text(failed.side) + " failed") +
           place + words;
  }
  std::string operator()(const why::Skipped& skipped) const {
    const std::string rest(skipped.some_conditions_only ? kSomeConditions : "");
    if (skipped.baseline && skipped.candidate) {
      const std::string b = skip_text(*skipped.baseline);
      const std::string c = skip_text(*skipped.candidate);
      return (b == c ? "both sides " + c : "the baseline " + b + "; the candidate " + c) + rest;
    }
    const WhichSide side = skipped.baseline ? WhichSide::baseline : WhichSide::candidate;
    const std::string text =
        side_text(side) + " " + skip_text(skipped.baseline ? *skipped.baseline : *skipped.candidate);
    const std::string other = "; " + side_text(other_side(side));
    if (skipped.other_lacks_it) return text + other + " does not have it";
    if (skipped.other_failure) return text + other + ": " + to_text(*skipped.other_failure);
    return text + (rest.empty() ? other + " does not" : rest);
  }
  std::string operator()(const why::NotReached& not_reached) const {
    return cut_at_bytes(to_text(not_reached.failure), kMaxFailureText);
  }
  std::string operator()(const why::OnOneSideOnly& only) const {
    return side_text(only.has_it) + " has it, " + side_text(other_side(only.has_it)) + " does not";
  }

  std::string operator()(const why::MetricsDiffer& metrics) const {
    switch (metrics.aspect) {
      case why::MetricAspect::unit:
        return "the baseline is in \"" + metrics.baseline + "\", the candidate in \"" + metrics.candidate + "\"";
      case why::MetricAspect::direction:
        return "better is " + metrics.baseline + " in the baseline, " + metrics.candidate + " in the candidate";
      case why::MetricAspect::kind:
        return "the baseline's values are " + metrics.baseline + ", the candidate's " + metrics.candidate;
      case why::MetricAspect::within_baseline:
        break;
    }
    return "the baseline's own values differ in unit, direction or kind";
  }
  std::string operator()(const why::InputsDiffer& inputs) const {
    return "measured on different inputs: item " + inputs.baseline.substr(0, kShownItemDigits) + " against " +
           inputs.candidate.substr(0, kShownItemDigits);
  }
  std::string operator()(const why::CountKeysDiffer& keys) const {
    return "counted under different conditions: the baseline has " + key_text(keys.baseline) + ", the candidate has " +
           key_text(keys.candidate) +
           "; count both on one machine: steelyard ab BASELINE CANDIDATE with the two programs or commits";
  }
  std::string operator()(const why::ScopesDiffer& scopes) const {
    return "counted over different things: the " + std::string(to_text(scopes.baseline)) + " in the baseline, the " +
           std::string(to_text(scopes.candidate)) + " in the candidate";
  }
  std::string operator()(const why::WithDefect& defect) const {
    return side_text(defect.side) + " cannot be judged: " + defect_text(defect.defect);
  }
  std::string operator()(const why::WithoutCount& without) const {
    return side_text(without.side) +
           (without.found ? " has the count " + number_text(*without.found, "") : " has no count");
  }
  std::string operator()(const why::NoPlannedRound& none) const {
    return "none of the " + std::to_string(none.planned) + " planned rounds has both sides";
  }

  std::string operator()(const why::Counted& counted) const {
    const double jitter = row.jitter.value_or(0);
    const std::string counts = counts_text(row, Figures::kept);
    const std::string manner = manner_text(row.count_scope, jitter) + ": ";
    switch (counted.answer) {
      case why::CountAnswer::changed:
        return manner + counts + (jitter > 0 ? ", beyond the jitter of " + small_share_text(jitter) : "");
      case why::CountAnswer::not_deterministic:
        if (!row.jitter) return "repeats of one build differ about a median of 0: this count is not deterministic";
        return "repeats of one build differ by " + small_share_text(jitter) + ", more than the margin of " +
               share_text(row.margin) + ": this count is not deterministic, and " + counts + " is within that";
      case why::CountAnswer::unchanged:
        break;
    }
    return *row.baseline == *row.candidate
               ? manner + count_text(*row.baseline) + counted_unit(row.metric) + " on both sides"
               : manner + counts + ", within the jitter of " + small_share_text(jitter);
  }

  std::string operator()(const why::Changed&) const {
    const std::string seen = movement_text(facts.movement);
    return size_text(row, Figures::kept) + " in " + units_text(row, facts) + ", " + interval_text(row) +
           ", adjusted p " + p_value_text(*row.q) +
           (is_concurrent(row.layout) ? "" : ", more than drift between the sides explains") +
           (seen.empty() ? "" : " (" + seen + ")");
  }
  std::string operator()(const why::ShownUnchanged&) const {
    return "shown to lie within the margin of " + share_text(row.margin) + ": " + plain_change_text(*row.ratio) +
           " in " + units_text(row, facts) + ", " + interval_text(row);
  }
  std::string operator()(const why::OneInvocation& one) const {
    const std::string uneven = uneven_text(facts, "invocations");
    std::string text = (uneven.empty() ? "one invocation a side" : uneven) + dropped_text(facts) +
                       ": process-to-process variation is not in the data" + (uneven.empty() ? "" : " of one side");
    if (one.noise) {
      text += "; on this machine two processes of one build lie up to " + share_text(one.noise->most) +
              " apart (calibrated), and " + plain_change_text(one.noise->ratio) + " is " +
              (one.noise->is_within ? "within" : "beyond") + " that";
    }
    return text + "; " + measure_more_text(one.rounds_needed);
  }
  std::string operator()(const why::TooFewUnits& few) const {
    const std::string least = std::to_string(regress::kMinRounds);
    return "only " + units_text(row, facts) +
           (facts.unpaired ? ", where at least " + least + " are wanted"
                           : ", where fewer than " + least + " cannot reach p = 0.05 by exchanging sides") +
           (is_concurrent(row.layout) ? "; " + measure_more_text(few.rounds_needed) : std::string(kTogether));
  }
  std::string operator()(const why::AdjustedAway& adjusted) const {
    return adjusted_text(row, adjusted) + more_rounds_text(row);
  }
  std::string operator()(const why::Apart& apart) const {
    const std::string seen = movement_text(facts.movement);
    std::string text;
    if (apart.cause) {
      text = note_text(*apart.cause) + "the " + (seen.empty() ? "" : "remaining ") + plain_change_text(*row.ratio) +
             (apart.occasions_unknown ? " (no calibration tells how far apart equal builds lie on two occasions)"
                                      : errors_text(*apart.cause, apart.errors));
    } else if (const auto* adjusted = std::get_if<why::AdjustedAway>(&apart.open)) {
      text = adjusted_text(row, *adjusted);
    } else if (std::holds_alternative<why::WithoutInterval>(apart.open)) {
      text = "these invocations give no interval";
    } else {
      text = "the " + interval_text(row) + " does not exclude a change below the minimum effect of " +
             share_text(row.minimum_effect);
    }
    text += row.layout == Layout::separate ? "; the sides were measured on different occasions"
                                           : "; the sides count as measured one after the other";
    return text + (seen.empty() ? "" : "; " + seen) + std::string(kTogether);
  }
  std::string operator()(const why::ApartByRounds2& apart) const {
    const std::string seen = movement_text(facts.movement);
    return std::string(row.layout == Layout::separate ? "the sides were measured on different occasions"
                                                      : "all of one side was measured before the other") +
           (seen.empty() ? ": drift of that kind" : ": " + seen + "; the drift of one alone") +
           " (standard deviation " + share_text(apart.deviation) + ") could explain the " +
           (seen.empty() ? "" : "remaining ") + plain_change_text(*row.ratio) + std::string(kTogether);
  }
  std::string operator()(const why::FloorBeyond& beyond) const {
    return beyond_text(beyond.floor) + "; seen: " + plain_change_text(*row.ratio) + " in " + units_text(row, facts) +
           (row.interval ? ", " + interval_text(row) : "");
  }
  std::string operator()(const why::RoundsGiveNoInterval& none) const {
    return plural_text(row.rounds, "round") + " cannot give a " + share_text(row.confidence) + " interval; " +
           measure_more_text(none.rounds_needed);
  }
  std::string operator()(const why::SignificantBelowMinimum&) const {
    return "the change of " + plain_change_text(*row.ratio) + " is significant but below the minimum effect of " +
           share_text(row.minimum_effect) + ", and its 90 % interval reaches beyond the margin of " +
           share_text(row.margin) + more_rounds_text(row);
  }
  std::string operator()(const why::AboveLevel& above) const {
    return "p = " + p_value_text(*row.p) + " does not reach the level of " + p_value_text(above.level) +
           more_rounds_text(row);
  }
  std::string operator()(const why::TooNoisy&) const {
    return note_text(RowNote::too_noisy) + units_text(row, facts) + " the " + interval_text(row) +
           " includes 0 % and reaches beyond the margin of " + share_text(row.margin) + more_rounds_text(row);
  }

  std::string operator()(const why::NoBaseline& none) const {
    return "no baseline: " + lack_text(none.lack) + (none.branch.empty() ? "" : " on branch " + none.branch) +
           "; measure it here (steelyard run), or beside its parent (steelyard gate without --against-history)";
  }
  std::string operator()(const why::NotPredicted& not_predicted) const {
    return "cannot be judged by its history: " + obstacle_text(row, not_predicted.obstacle) +
           std::string(kBesideParent) + " (steelyard gate without --against-history)";
  }
  std::string operator()(const why::ByHistory& by) const {
    const std::string occasions = occasions_text(row, by.since);
    if (by.answer == why::HistoryAnswer::same_value) return "the same value as on " + occasions;
    if (by.answer == why::HistoryAnswer::within_margin) {
      return "within " + share_text(row.margin) + " of the level of " + occasions;
    }
    const std::string change = plain_change_text(*row.ratio) + " against the level of " + occasions;
    switch (by.answer) {
      case why::HistoryAnswer::never_differed:
        return change + ", which never differed: how far occasions may lie apart is not known";
      case why::HistoryAnswer::changed:
        return change +
               ", more than their own spread explains; measured alone, so that steelyard gate beside its parent is " +
               "the surer measurement";
      case why::HistoryAnswer::floor_beyond:
        return beyond_text(by.floor) + "; seen: " + change;
      default:
        break;
    }
    return change + " tells nothing: one occasion of this benchmark lies within " + share_text(by.spread) +
           " of the others as a rule, and a change of " + share_text(*row.minimum_detectable_effect) +
           " could be seen" + std::string(kBesideParent);
  }
};

std::string end_text(const regress::EndOfLooks& ended) {
  const std::string rounds = plural_text(ended.rounds, "round");
  const std::string planned = std::to_string(ended.planned);
  switch (ended.end) {
    case regress::LookEnd::plan_done:
      return "; all " + plural_text(ended.planned, "planned round") + " were measured";
    case regress::LookEnd::futile:
      return "; stopped after " + rounds + ", as a decision within " + planned + " was unlikely";
    case regress::LookEnd::interrupted:
      return "; interrupted after " + rounds + " of up to " + planned;
    case regress::LookEnd::budget_spent:
      break;
  }
  return "; budget spent after " + rounds + " of up to " + planned;
}

std::string refused_text(const std::string& seen, const std::string& failure) {
  return "no verdicts on this machine, because its calibration failed" + (failure.empty() ? "" : " (" + failure + ")") +
         ": fix what `steelyard doctor` finds, then run `steelyard calibrate` again" +
         (seen.empty() ? "" : "; seen: " + seen);
}

std::string lost_text(const regress::LostSeries& lost) {
  const std::string occasion = shown_sha(lost.last_occasion);
  return "neither the candidate nor the newest run of the history has it" +
         (occasion.empty() ? "" : "; it was last measured at " + occasion);
}

std::string clock_text(double hertz) {
  constexpr double kGiga = 1e9;
  return decimals_text(hertz / kGiga, 2) + " GHz";
}

std::string device_text(const regress::DeviceClock& device) {
  const std::string clocks =
      device.baseline_hz && device.candidate_hz
          ? ", " + clock_text(*device.baseline_hz) + " before and " + clock_text(*device.candidate_hz) + " now"
          : "";
  const std::string change = plain_change_text(device.cycles_ratio);
  return device.stood_still ? "; the device's cycles did not change (" + change + "): its clock did" + clocks
                            : "; the device's cycles changed by " + change + clocks;
}

// Where a reason says by how much its row changed, with the words around it, so that nothing else is meant.
std::vector<std::string> changes_told(const ComparisonRow& row, Figures figures) {
  const std::string change = change_figure(*row.ratio, figures);
  std::vector<std::string> told{size_text(row, figures) + " in ", ": " + change + " in ",
                                "the change of " + change,        "the " + change,
                                "the remaining " + change,        change + " against the level of "};
  if (row.baseline && row.candidate) told.push_back(counts_text(row, figures));
  if (row.interval) {
    told.push_back(interval_text(row, figures));
    told.push_back("excludes all of " + range_figure(*row.interval, *row.ratio, figures) + " side by side");
  }
  if (row.solo) {
    for (const std::string& lead : {note_text(RowNote::contradicted_alone), alone_lead(row, figures)})
      told.push_back(lead + solo_change_text(*row.solo, figures));
  }
  return told;
}

}  // namespace

std::string both_sides_text(const FactDifference& fact) {
  const auto shown = [](const std::string& said) { return said.empty() ? "not recorded" : said; };
  return shown(fact.baseline) + " against " + shown(fact.candidate);
}

std::string reason_text(const ComparisonRow& row, const regress::RowFacts& facts, const regress::Judged& comparison) {
  std::string text = std::visit(ReasonWords{row, facts, comparison}, facts.reason);
  if (facts.proof) {
    text +=
        facts.proof->side == WhichSide::candidate ? "; not counted again: " : "; the baseline was not counted again: ";
    text += facts.proof->proof;
  }
  if (facts.ended) text += end_text(*facts.ended);
  if (facts.first_look_only) text += "; " + note_text(RowNote::first_look_only);
  if (facts.slots_confounded) {
    text += "; no round is known to have the other order, so an effect of the slot is part of this figure";
  }
  const std::optional<Calibration>& calibration = comparison.comparison.calibration;
  if (facts.calibration_failed) text = refused_text(text, calibration ? calibration->reason : "");
  if (facts.lost) text += (text.empty() ? "" : "; ") + lost_text(*facts.lost);
  if (facts.alone) text = with_alone(text, row, *facts.alone);
  if (facts.device) text += device_text(*facts.device);
  return text;
}

std::string shown_reason(const ComparisonRow& row) {
  std::string reason = row.reason;
  if (!row.ratio) return reason;
  const std::vector<std::string> kept = changes_told(row, Figures::kept);
  const std::vector<std::string> shown = changes_told(row, Figures::shown);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const std::size_t at = reason.find(kept[i]);
    if (at != std::string::npos) reason.replace(at, kept[i].size(), shown[i]);
  }
  return reason;
}

}  // namespace steelyard::ci
