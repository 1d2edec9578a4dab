#include "ci/gate/outcome.hpp"

#include <algorithm>

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
    return concerns_row && failure.metric != kInstructions;
  });
}

ExitCode outcome_of_failed(const ComparisonRow& row, const Run& baseline, const Run& candidate) {
  if (row.metric.kind == MetricKind::counted) {
    const bool lost = has_measurement(baseline, row) && !has_measurement(candidate, row);
    return lost ? ExitCode::not_judged : ExitCode::success;
  }
  return program_failed(candidate, row) ? ExitCode::program_failed : ExitCode::not_judged;
}

}  // namespace

ExitCode outcome_of(const Comparison& comparison, const Run& baseline, const Run& candidate,
                    const OutcomeRules& rules) {
  // Nothing was judged at all, perhaps because a filter matches nothing: that is no pass.
  if (comparison.rows.empty()) return ExitCode::not_judged;
  ExitCode code = ExitCode::success;
  for (const ComparisonRow& row : comparison.rows) {
    switch (row.verdict) {
      case Verdict::regression:
        code = worse(code, ExitCode::regression);
        break;
      case Verdict::missing:
      case Verdict::incomparable:
        code = worse(code, ExitCode::not_judged);
        break;
      case Verdict::failed:
        code = worse(code, outcome_of_failed(row, baseline, candidate));
        break;
      case Verdict::inconclusive:
        if (rules.demand_decision) code = worse(code, ExitCode::not_judged);
        break;
      case Verdict::improvement:
      case Verdict::unchanged:
      case Verdict::fresh:
        break;
    }
  }
  return code;
}

}  // namespace steelyard
