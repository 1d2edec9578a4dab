#include "ci/judging/outcome.hpp"

#include <algorithm>

#include "regress/ab/gates.hpp"

namespace steelyard {
namespace {

bool has_measurement(const Run& run, const ComparisonRow& row) {
  return std::any_of(run.measurements.begin(), run.measurements.end(), [&](const Measurement& measurement) {
    return measurement.metric.name == row.metric.name && measurement.benchmark.canonical() == row.benchmark;
  });
}

// Whether a process of the program itself went wrong, other than while it was counted.
bool program_failed(const Run& run, const ComparisonRow& row) {
  return std::any_of(run.failures.begin(), run.failures.end(), [&](const Failure& failure) {
    const bool concerns_row = failure.benchmark.name.empty() || failure.benchmark.canonical() == row.benchmark;
    const bool was_counting = failure.metric == kInstructions || is_extra_counter(failure.metric);
    return concerns_row && !was_counting && failure.kind != FailureKind::bad_record;
  });
}

// It left itself out, and said why.
bool left_itself_out(const Run& run, const ComparisonRow& row) {
  bool any = false;
  for (const Failure& failure : run.failures) {
    if (failure.benchmark.canonical() != row.benchmark) continue;
    if (failure.kind != FailureKind::skipped) return false;
    any = true;
  }
  return any;
}

bool has_bad_record(const Run& run) {
  return std::any_of(run.failures.begin(), run.failures.end(),
                     [](const Failure& failure) { return failure.kind == FailureKind::bad_record; });
}

bool was_judged(const ComparisonRow& row) {
  return row.verdict != Verdict::missing && row.verdict != Verdict::incomparable && row.verdict != Verdict::failed;
}

bool is_asked_for(const Metric& metric, const ComparisonPolicy& policy, const OutcomeRules& rules) {
  if (rules.demand_counts && metric.name == kInstructions) return true;
  return names_metric(policy, metric.name);
}

// Both sides failed alike at something that nobody named.
bool is_dispensable(const ComparisonRow& row, const Run& baseline, const Run& candidate, const ComparisonPolicy& policy,
                    const OutcomeRules& rules) {
  return row.metric.kind == MetricKind::counted && !is_asked_for(row.metric, policy, rules) &&
         !has_measurement(baseline, row) && !has_measurement(candidate, row);
}

}  // namespace

OutcomeRules outcome_rules(const Configuration& configuration) {
  return {configuration.policy.demand_decision, configuration.run.counts == CountChoice::always};
}

ExitCode outcome_of(const Comparison& comparison, const Run& baseline, const Run& candidate,
                    const OutcomeRules& rules) {
  // Nothing was judged at all, perhaps because a filter matches nothing: that is no pass.
  const bool any_judged = std::any_of(comparison.rows.begin(), comparison.rows.end(), was_judged);
  const bool whole = any_judged && !has_bad_record(baseline) && !has_bad_record(candidate);
  ExitCode code = whole ? ExitCode::success : ExitCode::not_judged;
  for (const ComparisonRow& row : comparison.rows) {
    const bool matters = row.gates || (rules.demand_counts && row.metric.name == kInstructions);
    switch (row.verdict) {
      case Verdict::regression:
        if (row.gates) code = worse(code, ExitCode::regression);
        break;
      case Verdict::missing:
      case Verdict::incomparable:
        if (matters) code = worse(code, ExitCode::not_judged);
        break;
      case Verdict::failed:
        // What neither side can do on this machine was not to be judged here.
        if (left_itself_out(baseline, row) && left_itself_out(candidate, row)) break;
        if (program_failed(candidate, row)) {
          code = worse(code, ExitCode::program_failed);
        } else if (matters && !is_dispensable(row, baseline, candidate, comparison.policy, rules)) {
          code = worse(code, ExitCode::not_judged);
        }
        break;
      case Verdict::inconclusive:
        if (rules.demand_decision && matters) code = worse(code, ExitCode::not_judged);
        break;
      case Verdict::improvement:
      case Verdict::unchanged:
      case Verdict::fresh:
        break;
    }
  }
  return code;
}

ExitCode outcome_of(const TargetReport& targets) {
  const auto counts = targets.count_by_verdict();
  ExitCode code = ExitCode::success;
  if (counts.at(static_cast<std::size_t>(TargetVerdict::missed)) > 0) code = worse(code, ExitCode::regression);
  if (counts.at(static_cast<std::size_t>(TargetVerdict::undecided)) > 0) code = worse(code, ExitCode::not_judged);
  return code;
}

}  // namespace steelyard
