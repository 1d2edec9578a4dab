#include "regress/compare_runs.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/model/adjusted_p.hpp"
#include "bench/model/left_processes.hpp"
#include "bench/model/parse_number.hpp"
#include "bench/model/run.hpp"
#include "regress/ab/calibrated.hpp"
#include "regress/ab/confirmation.hpp"
#include "regress/ab/drift.hpp"
#include "regress/ab/gates.hpp"
#include "regress/ab/match.hpp"
#include "regress/ab/row.hpp"
#include "regress/ab/sequential.hpp"
#include "regress/ab/steady_digits.hpp"
#include "regress/ab/verdict.hpp"
#include "regress/policy/pattern_policy.hpp"

namespace steelyard::regress {
namespace {

constexpr std::string_view kHardwareCycles = "hardware_cycles";

bool is_ignored(const ComparisonPolicy& policy, const FactDifference& fact) {
  return std::find(policy.ignored_facts.begin(), policy.ignored_facts.end(), fact.name) != policy.ignored_facts.end();
}

// Why the two environments cannot be compared; absent where they can.
std::optional<MachineDifference> machine_difference(const Comparison& comparison) {
  if (comparison.baseline_fingerprint.empty() || comparison.candidate_fingerprint.empty()) return std::nullopt;
  MachineDifference difference;
  difference.is_sure = rules_of(comparison.rule_version) < Rules::rounds_4;
  for (const FactDifference& fact : comparison.environment_differences) {
    if (!fact.decisive || is_ignored(comparison.policy, fact)) continue;
    // What one side did not record may be the same.
    difference.is_sure = difference.is_sure || (!fact.baseline.empty() && !fact.candidate.empty());
    difference.facts.push_back(fact);
  }
  return difference.facts.empty() ? std::nullopt : std::optional(std::move(difference));
}

void warn_about_environments(Judged& judged) {
  const Comparison& comparison = judged.comparison;
  const bool no_baseline = comparison.baseline_fingerprint.empty();
  const bool no_candidate = comparison.candidate_fingerprint.empty();
  if (no_baseline || no_candidate) {
    judged.cautions.push_back(caution::MachineNotNamed{no_baseline && no_candidate ? WhichSide::both
                                                       : no_baseline               ? WhichSide::baseline
                                                                                   : WhichSide::candidate});
    return;
  }
  for (const FactDifference& fact : comparison.environment_differences) {
    if (fact.decisive && is_ignored(comparison.policy, fact)) judged.cautions.push_back(caution::FactIgnored{fact});
  }
}

void warn_about_disturbances(const Run& baseline, const Run& candidate, Judged& judged) {
  const Run* const runs[] = {&baseline, &candidate};
  DisturbanceSummary summary = summarize_disturbances(runs);
  if (summary.disturbed > 0) judged.cautions.push_back(caution::Disturbances{std::move(summary)});
  const std::optional<double> others = other_work_share(runs);
  if (others && *others > kBusyMachine) judged.cautions.push_back(caution::BusyMachine{*others});
}

void warn_about_processes(WhichSide side, const Run& run, Judged& judged) {
  LeftProcesses left = left_processes_of(run.header.settings);
  if (left.any()) judged.cautions.push_back(caution::ProcessesLeft{side, std::move(left)});
}

// A pattern that fits nothing protects nothing, and looks as if it did.
void warn_about_idle_tables(const std::vector<RowDraft>& drafts, Judged& judged) {
  std::set<std::string> benchmarks;
  for (const RowDraft& draft : drafts) benchmarks.insert(draft.row.benchmark);
  caution::TablesWithoutBenchmark idle;
  for (const PatternPolicy* table : tables_without_benchmark(judged.comparison.policy, benchmarks)) {
    idle.tables.push_back(to_text(*table));
  }
  if (!idle.tables.empty()) judged.cautions.push_back(std::move(idle));
}

// Without the plan that it was measured by, p of a measurement that may have stopped for what it saw holds no level.
void warn_about_looks(const LookPlan& plan, Judged& judged) {
  const std::string name(kLooksSetting);
  const Comparison& comparison = judged.comparison;
  if (!plan.empty()) return;
  if (comparison.baseline.settings.contains(name) || comparison.candidate.settings.contains(name)) {
    judged.cautions.push_back(caution::WithoutLookPlan{});
  }
}

// A measurement that looks at its data says in each row's reason how it ended.
void warn_about_rounds(Judged& judged) {
  const Comparison& comparison = judged.comparison;
  const auto& settings = comparison.candidate.settings;
  if (stop_of(comparison.candidate) != Stop::budget_spent || settings.contains(std::string(kLooksSetting))) return;
  const auto setting = settings.find("rounds_planned");
  const std::optional<int> planned = setting == settings.end() ? std::nullopt : parse_as<int>(setting->second);
  caution::RoundsCutShort cut{planned.value_or(0), 0, planned.value_or(0)};
  for (const ComparisonRow& row : comparison.rows) {
    if (row.rounds <= 0 || !is_concurrent(row.layout) || row.metric.kind == MetricKind::counted) continue;
    // More time for all of them is none for what has a budget of its own.
    if (table_for(comparison.policy, row.benchmark, &PatternPolicy::budget_ns) != nullptr) continue;
    cut.least = std::min(cut.least, row.rounds);
    cut.most = std::max(cut.most, row.rounds);
  }
  if (cut.most > 0 && cut.least < cut.planned) judged.cautions.push_back(cut);
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
void judge_drift(std::vector<RowDraft>& drafts, const RowContext& context, Judged& judged) {
  Comparison& comparison = judged.comparison;
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
      const auto moved = moved_together(metric, drift, comparison.policy.minimum_effect);
      if (moved && !concurrent) judged.cautions.push_back(*moved);
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
    draft.facts = decide(*draft.evidence, family_of(draft, family), draft.row);
    if (comparison.calibration && comparison.calibration->failed) refuse_verdict(draft.row, draft.facts);
  }
}

// Takes the calibration of the machine, where it says enough to be judged by.
void take_calibration(const Calibration* calibration, Rules rules, Judged& judged) {
  if (calibration == nullptr || calibration->fingerprint != judged.comparison.candidate_fingerprint) return;
  if (rules == Rules::rounds_2 || is_used(*calibration)) {
    judged.comparison.calibration = *calibration;
  } else {
    judged.cautions.push_back(caution::CalibrationOfTooFewGates{calibration->false_gates});
  }
}

}  // namespace

ComparisonPolicy within_range(ComparisonPolicy policy, std::vector<Caution>& cautions) {
  std::string of_table;
  const auto hold = [&](double& value, double low, double high, double otherwise, const char* key) {
    if (value >= low && value <= high) return;
    const bool has_a_side = value > 0 && std::isfinite(value);
    const double used = has_a_side ? std::clamp(value, low, high) : otherwise;
    cautions.push_back(caution::PolicyOutOfRange{of_table, key, value, low, high, used});
    value = used;
  };
  const ComparisonPolicy usual;
  hold(policy.false_alarm_rate, kMinFalseAlarmRate, 0.5, usual.false_alarm_rate, "false_alarm_rate");
  hold(policy.confidence, 0.5, 0.9999, usual.confidence, "confidence");
  hold(policy.minimum_effect, 0, 10, usual.minimum_effect, "minimum_effect");
  hold(policy.margin, 1e-6, 10, usual.margin, "margin");
  hold(policy.counted_minimum_effect, 0, 10, usual.counted_minimum_effect, "counted_minimum_effect");
  for (PatternPolicy& table : policy.patterns) {
    of_table = to_text(table);
    if (table.minimum_effect) hold(*table.minimum_effect, 0, 10, policy.minimum_effect, "minimum_effect");
    if (table.margin) hold(*table.margin, 1e-6, 10, policy.margin, "margin");
    if (table.counted_minimum_effect) {
      hold(*table.counted_minimum_effect, 0, 10, policy.counted_minimum_effect, "counted_minimum_effect");
    }
  }
  return policy;
}

namespace {

// What two runs are compared by.
struct RunsQuestion {
  const ComparisonPolicy& policy;
  const Calibration* calibration = nullptr;
  Rules rules = kNewestRules;
  GateMemory* memory = nullptr;
  bool runs_have_all = true;  // as RowContext has it
};

Judged compare_by(const Run& baseline, const Run& candidate, const RunsQuestion& question) {
  Judged judged;
  Comparison& comparison = judged.comparison;
  const Rules rules = question.rules;
  comparison.baseline = baseline.header;
  comparison.candidate = candidate.header;
  comparison.baseline_fingerprint = baseline.environment.fingerprint();
  comparison.candidate_fingerprint = candidate.environment.fingerprint();
  comparison.environment_differences = steelyard::differences(baseline.environment, candidate.environment);
  // That the programs differ is what is compared, no circumstance of it.
  std::erase_if(comparison.environment_differences,
                [](const FactDifference& difference) { return difference.name.starts_with("program."); });
  comparison.policy = within_range(on_machine(question.policy, machine_names(candidate.environment)), judged.cautions);
  comparison.rule_version = to_text(rules);
  take_calibration(question.calibration, rules, judged);
  warn_about_environments(judged);
  warn_about_disturbances(baseline, candidate, judged);
  warn_about_processes(WhichSide::baseline, baseline, judged);
  warn_about_processes(WhichSide::candidate, candidate, judged);
  judged.machines = machine_difference(comparison);

  const Layout layout = mutual_layout(baseline.header, candidate.header);
  const CalibratedNoise calibrated(comparison.calibration ? &*comparison.calibration : nullptr, rules);
  const LookPlan plan = is_concurrent(layout) ? mutual_look_plan(baseline.header, candidate.header) : LookPlan{};
  if (is_concurrent(layout)) warn_about_looks(plan, judged);
  const RowContext context{
      baseline, candidate,       comparison.policy,     layout, calibrated, judged.machines.has_value(), plan,
      rules,    question.memory, question.runs_have_all};
  std::vector<RowDraft> drafts;
  std::vector<std::string> undirected;
  for (const Matched& matched : match_runs(baseline, candidate, comparison.policy, undirected, rules)) {
    drafts.push_back(draft_row(matched, context));
  }
  for (std::string& metric : undirected) judged.cautions.push_back(caution::MetricWithoutDirection{std::move(metric)});
  warn_about_idle_tables(drafts, judged);
  judge_drift(drafts, context, judged);
  adjust_and_decide(drafts, context, comparison);
  check_alone(context, drafts);
  check_device_clock(baseline, candidate, drafts, rules);
  for (RowDraft& draft : drafts) {
    comparison.rows.push_back(std::move(draft.row));
    judged.facts.push_back(std::move(draft.facts));
  }
  warn_about_rounds(judged);
  add_cycles_ratios(comparison.rows);
  judged.gate_notes = decide_gates(comparison);
  return judged;
}

bool has_no_pairs(const ComparisonRow& row) { return row.test == TestKind::invocations && row.rounds >= kMinRounds; }

}  // namespace

Judged compare_runs(const Run& baseline, const Run& candidate, const ComparisonPolicy& policy,
                    const Calibration* calibration, Rules rules, GateMemory* memory) {
  return compare_by(baseline, candidate, {policy, calibration, rules, memory});
}

Judged compare_with_newest(const Run& newest, const Run& candidate, const ComparisonPolicy& policy,
                           const Calibration* calibration, Rules rules) {
  return compare_by(newest, candidate, {policy, calibration, rules, nullptr, false});
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

AdjustedRows adjusted_rows(const Comparison& comparison) {
  const Rules rules = rules_of(comparison.rule_version);
  const bool is_by_holm = rules < Rules::rounds_4 || to_text(rules) != comparison.rule_version;
  AdjustedRows rows;
  int in_rounds = 0;
  bool all_concurrent = true;
  for (const ComparisonRow& row : comparison.rows) {
    if (!row.q) continue;
    all_concurrent = all_concurrent && is_concurrent(row.layout);
    ++(has_no_pairs(row) ? rows.by_holm : rows.jointly);
    in_rounds += row.test == TestKind::rounds ? 1 : 0;
  }
  const int wanted = rows.by_holm == 0 ? 1 : 2;  // of rows in rounds
  const bool is_mixed_too_early = rows.by_holm > 0 && rules < Rules::rounds_5;
  if (is_by_holm || !all_concurrent || in_rounds < wanted || is_mixed_too_early || rows.jointly + rows.by_holm < 2) {
    return {0, rows.jointly + rows.by_holm};
  }
  return rows;
}

bool is_jointly_adjusted(const Comparison& comparison, const ComparisonRow& row) {
  return row.q && !has_no_pairs(row) && adjusted_rows(comparison).jointly > 0;
}

}  // namespace steelyard::regress
