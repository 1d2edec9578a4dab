#include "regress/compare_runs.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "bench/model/adjusted_p.hpp"
#include "bench/model/number_text.hpp"
#include "bench/model/run.hpp"
#include "regress/ab/calibrated.hpp"
#include "regress/ab/confirmation.hpp"
#include "regress/ab/drift.hpp"
#include "regress/ab/gates.hpp"
#include "regress/ab/match.hpp"
#include "regress/ab/permutations.hpp"
#include "regress/ab/row.hpp"
#include "regress/ab/sequential.hpp"
#include "regress/ab/steady_digits.hpp"
#include "regress/ab/verdict.hpp"
#include "regress/policy/pattern_policy.hpp"

namespace steelyard::regress {
namespace {

constexpr std::string_view kHardwareCycles = "hardware_cycles";
constexpr std::size_t kMaxFactsNamed = 3;
constexpr int kMinPlannedRounds = 12;
constexpr int kMaxPlannedRounds = 40;  // 2 / C(40, 20) is 10^-11: no family of comparisons needs more

// What a reckless caller could pass is brought into the range in which the formulas hold.
ComparisonPolicy within_range(ComparisonPolicy policy, std::vector<std::string>& warnings) {
  const auto hold = [&](double& value, double low, double high, double otherwise, const std::string& name) {
    if (value >= low && value <= high) return;
    warnings.push_back("policy " + name + ": found " + number_text(value, "") + ", wanted " + number_text(low, "") +
                       " to " + number_text(high, "") + "; " + number_text(otherwise, "") + " was used");
    value = otherwise;
  };
  const ComparisonPolicy usual;
  hold(policy.false_alarm_rate, 1e-6, 0.5, usual.false_alarm_rate, "false_alarm_rate");
  hold(policy.confidence, 0.5, 0.9999, usual.confidence, "confidence");
  hold(policy.minimum_effect, 0, 10, usual.minimum_effect, "minimum_effect");
  hold(policy.margin, 1e-6, 10, usual.margin, "margin");
  hold(policy.counted_minimum_effect, 0, 10, usual.counted_minimum_effect, "counted_minimum_effect");
  for (PatternPolicy& table : policy.patterns) {
    const std::string of = "of " + to_text(table) + ' ';
    if (table.minimum_effect) hold(*table.minimum_effect, 0, 10, policy.minimum_effect, of + "minimum_effect");
    if (table.margin) hold(*table.margin, 1e-6, 10, policy.margin, of + "margin");
    if (table.counted_minimum_effect) {
      hold(*table.counted_minimum_effect, 0, 10, policy.counted_minimum_effect, of + "counted_minimum_effect");
    }
  }
  return policy;
}

std::string shown(const std::string& fact) { return fact.empty() ? "not recorded" : fact; }

// Why the two environments cannot be compared; empty where they can.
std::string environment_obstacle(const Comparison& comparison) {
  if (comparison.baseline_fingerprint.empty() || comparison.candidate_fingerprint.empty()) return "";
  const auto& ignored = comparison.policy.ignored_facts;
  std::string facts;
  std::size_t count = 0;
  bool is_sure = rules_of(comparison.rule_version) < Rules::rounds_4;
  for (const FactDifference& fact : comparison.environment_differences) {
    if (!fact.decisive || std::find(ignored.begin(), ignored.end(), fact.name) != ignored.end()) continue;
    // What one side did not record may be the same.
    is_sure = is_sure || (!fact.baseline.empty() && !fact.candidate.empty());
    if (++count > kMaxFactsNamed) continue;
    facts +=
        (facts.empty() ? "" : "; ") + fact.name + ": " + shown(fact.baseline) + " against " + shown(fact.candidate);
  }
  if (count == 0) return "";
  if (count > kMaxFactsNamed) facts += "; and " + std::to_string(count - kMaxFactsNamed) + " more";
  return (is_sure ? "measured on different machines (" : "not known to be measured on one machine (") + facts + ")";
}

void warn_about_environments(Comparison& comparison) {
  const bool no_baseline = comparison.baseline_fingerprint.empty();
  const bool no_candidate = comparison.candidate_fingerprint.empty();
  if (no_baseline || no_candidate) {
    const std::string who = no_baseline && no_candidate ? "neither side says"
                            : no_baseline               ? "the baseline does not say"
                                                        : "the candidate does not say";
    comparison.warnings.push_back(who + " what machine it was measured on; one machine was assumed");
    return;
  }
  for (const FactDifference& fact : comparison.environment_differences) {
    const auto& ignored = comparison.policy.ignored_facts;
    if (!fact.decisive || std::find(ignored.begin(), ignored.end(), fact.name) == ignored.end()) continue;
    comparison.warnings.push_back(fact.name + " differs (" + shown(fact.baseline) + " against " +
                                  shown(fact.candidate) + ") and was ignored as the policy says");
  }
}

void warn_about_disturbances(const Run& baseline, const Run& candidate, Comparison& comparison) {
  const Run* const runs[] = {&baseline, &candidate};
  std::string text = to_text(summarize_disturbances(runs));
  if (!text.empty()) comparison.warnings.push_back(std::move(text));
}

// A pattern that fits nothing protects nothing, and looks as if it did.
void warn_about_idle_tables(const std::vector<RowDraft>& drafts, Comparison& comparison) {
  std::set<std::string> benchmarks;
  for (const RowDraft& draft : drafts) benchmarks.insert(draft.row.benchmark);
  std::string idle;
  for (const PatternPolicy* table : tables_without_benchmark(comparison.policy, benchmarks)) {
    idle += (idle.empty() ? "" : ", ") + to_text(*table);
  }
  if (!idle.empty()) comparison.warnings.push_back("no benchmark here matches the policy of " + idle);
}

// Without the plan that it was measured by, p of a measurement that may have stopped for what it saw holds no level.
void warn_about_looks(const LookPlan& plan, Comparison& comparison) {
  const std::string name(kLooksSetting);
  const RunHeader& baseline = comparison.baseline;
  const RunHeader& candidate = comparison.candidate;
  if (!plan.empty() || (!baseline.settings.contains(name) && !candidate.settings.contains(name))) return;
  comparison.warnings.push_back(
      "the two sides do not have one plan of looks that can be read (setting \"" + name +
      "\"): p was taken as if the number of rounds had been fixed beforehand, and may be too small; measure again");
}

// The drafts of one metric that have an effect with an error: what its common drift is told from.
std::map<std::string, std::vector<DriftEvidence>> evidence_of_drift(const std::vector<RowDraft>& drafts) {
  std::map<std::string, std::vector<DriftEvidence>> by_metric;
  for (const RowDraft& draft : drafts) {
    if (!draft.evidence) continue;
    const Effect& effect = draft.evidence->effect;
    std::vector<DriftEvidence>& of_metric = by_metric[draft.row.metric.name];
    if (effect.standard_error) {
      of_metric.push_back({effect.log_ratio, *effect.standard_error * std::sqrt(draft.own_noise.variance_factor),
                           draft.own_noise.spread});
    }
  }
  return by_metric;
}

// What all benchmarks share is shown in every layout. Where the sides were not measured together it is confounded with
// a change of them all: every row is then less the drift and widened by what it does to single benchmarks.
void judge_drift(std::vector<RowDraft>& drafts, const RowContext& context, Comparison& comparison) {
  const Layout layout = context.layout;
  const std::optional<double> usual = context.calibrated.drift(layout);
  const bool concurrent = is_concurrent(layout);
  std::map<std::string, Drift> drifts;
  for (const auto& [metric, evidence] : evidence_of_drift(drafts)) {
    Drift drift = estimate_drift(evidence, layout, usual);
    if (concurrent) drift.removed = false;
    if (drift.estimated) {
      comparison.drifts.push_back(
          {metric, steady(steady_exp(drift.common)), steady(drift.deviation), drift.benchmarks, drift.removed});
      std::string warning = concurrent ? "" : drift_warning(metric, drift, comparison.policy.minimum_effect);
      if (!warning.empty()) comparison.warnings.push_back(std::move(warning));
    }
    drifts[metric] = drift;
  }
  if (concurrent) return;
  // Before rounds_4 all of the deviation was told as drift, whatever it came from.
  std::optional<double> of_machines;
  if (rules_of(comparison.rule_version) >= Rules::rounds_4) of_machines = drift_of_machines(layout, usual);
  for (RowDraft& draft : drafts) {
    if (!draft.evidence) continue;
    draft.evidence->drift = drifts[draft.row.metric.name];
    draft.evidence->seen = draft.evidence->effect.log_ratio;
    draft.evidence->occasions_unknown = layout == Layout::separate && !usual && context.rules >= Rules::rounds_4;
    if (draft.evidence->effect.standard_error) {
      draft.evidence->error =
          parts_of_error(draft.evidence->effect, draft.evidence->drift, draft.own_noise, of_machines);
    }
    draft.evidence->effect =
        widen(draft.evidence->effect, draft.evidence->drift, draft.own_noise, comparison.policy.confidence);
  }
}

void adjust_and_decide(std::vector<RowDraft>& drafts, const RowContext& context, const Comparison& comparison) {
  const Family family = adjust(drafts, context);
  std::vector<double> p;
  for (const RowDraft& draft : drafts) {
    if (draft.evidence && draft.evidence->effect.p) p.push_back(*draft.evidence->effect.p);
  }
  const std::vector<double> discovery_q = discovery_adjusted(p);
  std::size_t next = 0;
  for (RowDraft& draft : drafts) {
    if (!draft.evidence) continue;
    if (draft.evidence->effect.p) draft.row.discovery_q = steady(discovery_q[next++]);
    decide(*draft.evidence, family, draft.row);
    if (comparison.calibration && comparison.calibration->failed) refuse_verdict(*comparison.calibration, draft.row);
  }
}

}  // namespace

namespace {

// That of the machine, where it says enough to be judged by.
void take_calibration(const Calibration* calibration, Rules rules, Comparison& comparison) {
  if (calibration == nullptr || calibration->fingerprint != comparison.candidate_fingerprint) return;
  const std::string why = rules == Rules::rounds_2 ? "" : why_not_used(*calibration);
  if (why.empty()) {
    comparison.calibration = *calibration;
  } else {
    comparison.warnings.push_back("the machine's calibration was not used: " + why + " (steelyard calibrate)");
  }
}

void add_cycles_ratios(std::vector<ComparisonRow>& rows) {
  std::map<std::string_view, double> ratios;
  for (const ComparisonRow& row : rows) {
    const bool is_cycles = row.metric.name == kHardwareCycles || row.metric.name == kDeviceCycles;
    if (is_cycles && row.ratio) ratios[row.benchmark] = *row.ratio;
  }
  for (ComparisonRow& row : rows) {
    const auto found = ratios.find(row.benchmark);
    if (found != ratios.end() && row.metric.name == kRealTime) row.cycles_ratio = found->second;
  }
}

}  // namespace

std::string_view to_text(Rules rules) {
  switch (rules) {
    case Rules::rounds_2:
      return "rounds-2";
    case Rules::rounds_3:
      return "rounds-3";
    case Rules::rounds_4:
      break;
  }
  return "rounds-4";
}

Rules rules_of(std::string_view rule_version) {
  const std::string_view number = rule_version.substr(std::min(rule_version.size(), rule_version.rfind('-')));
  if (number == "-2") return Rules::rounds_2;
  return number == "-3" ? Rules::rounds_3 : kNewestRules;
}

Comparison compare_runs(const Run& baseline, const Run& candidate, const ComparisonPolicy& policy,
                        const Calibration* calibration, Rules rules) {
  Comparison comparison;
  comparison.baseline = baseline.header;
  comparison.candidate = candidate.header;
  comparison.baseline_fingerprint = baseline.environment.fingerprint();
  comparison.candidate_fingerprint = candidate.environment.fingerprint();
  comparison.environment_differences = steelyard::differences(baseline.environment, candidate.environment);
  // That the programs differ is what is compared, no circumstance of it.
  std::erase_if(comparison.environment_differences,
                [](const FactDifference& difference) { return difference.name.starts_with("program."); });
  comparison.policy = within_range(policy, comparison.warnings);
  comparison.rule_version = to_text(rules);
  take_calibration(calibration, rules, comparison);
  warn_about_environments(comparison);
  warn_about_disturbances(baseline, candidate, comparison);

  const Layout layout = mutual_layout(baseline.header, candidate.header);
  const CalibratedNoise calibrated(comparison.calibration ? &*comparison.calibration : nullptr, rules);
  const LookPlan plan = is_concurrent(layout) ? mutual_look_plan(baseline.header, candidate.header) : LookPlan{};
  if (is_concurrent(layout)) warn_about_looks(plan, comparison);
  const RowContext context{baseline, candidate, comparison.policy, layout, calibrated, environment_obstacle(comparison),
                           plan,     rules};
  std::vector<RowDraft> drafts;
  for (const Matched& matched : match_runs(baseline, candidate, comparison.policy, comparison.warnings)) {
    drafts.push_back(draft_row(matched, context));
  }
  warn_about_idle_tables(drafts, comparison);
  judge_drift(drafts, context, comparison);
  adjust_and_decide(drafts, context, comparison);
  for (RowDraft& draft : drafts) comparison.rows.push_back(std::move(draft.row));
  check_alone(context, comparison.rows);
  check_device_clock(baseline, candidate, comparison.rows);
  add_cycles_ratios(comparison.rows);
  decide_gates(comparison);
  return comparison;
}

bool is_jointly_adjusted(const Comparison& comparison) {
  const Rules rules = rules_of(comparison.rule_version);
  if (rules < Rules::rounds_4 || to_text(rules) != comparison.rule_version) return false;
  int adjusted = 0;
  bool any_in_rounds = false;
  for (const ComparisonRow& row : comparison.rows) {
    if (!row.q) continue;
    if (!is_concurrent(row.layout) || row.test == "invocations") return false;
    ++adjusted;
    any_in_rounds = any_in_rounds || row.test == "rounds";
  }
  return any_in_rounds && adjusted > 1;
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
