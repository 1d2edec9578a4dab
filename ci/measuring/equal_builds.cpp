#include "ci/measuring/equal_builds.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "ci/report/judgement_text.hpp"
#include "regress/ab/gates.hpp"
#include "regress/policy/pattern_policy.hpp"

namespace steelyard::ci {
namespace {

// The noisy metrics that would have been judged of any benchmark.
std::vector<Metric> metrics_of_time(const ComparisonPolicy& policy) {
  std::vector<Metric> metrics;
  for (const std::string& name : regress::perhaps_noisy_metrics(policy)) {
    // Of one that no table knows there is nothing to be said of before it is measured.
    if (const std::optional<Metric> metric = well_known_metric(name)) metrics.push_back(*metric);
  }
  return metrics;
}

bool contains(const std::vector<Metric>& metrics, const std::string& name) {
  return std::any_of(metrics.begin(), metrics.end(), [&](const Metric& metric) { return metric.name == name; });
}

ComparisonRow untimed_row(const std::string& benchmark, const Metric& metric, const EqualBuilds& builds,
                          const Comparison& comparison, UntimedBy by) {
  ComparisonRow row;
  row.benchmark = benchmark;
  row.metric = metric;
  regress::set_policy(comparison.policy, row);
  row.layout = comparison.candidate.layout;
  row.test = TestKind::none;
  row.verdict = Verdict::unchanged;
  row.notes.add(RowNote::not_timed);
  const auto program = builds.same_program.find(benchmark);
  if (program != builds.same_program.end()) {
    row.reason = untimed_text(by, program->second);
    row.notes.add(RowNote::equal_program);
  } else {
    row.reason = untimed_text(by, std::nullopt);
    row.notes.add(RowNote::equal_code);
    row.notes.add(RowNote::equal_counts);
  }
  return row;
}

// By benchmark, then metric, as all rows are; a benchmark that has no row yet comes last.
void insert(ComparisonRow row, std::vector<ComparisonRow>& rows) {
  auto at =
      std::find_if(rows.begin(), rows.end(), [&](const ComparisonRow& r) { return r.benchmark == row.benchmark; });
  while (at != rows.end() && at->benchmark == row.benchmark && at->metric.name < row.metric.name) ++at;
  rows.insert(at, std::move(row));
}

// Whether a row says all that is judged of a benchmark without a time: what else is named has to be measured.
bool names_no_other_metric(const ComparisonPolicy& policy) {
  const std::vector<std::string> named = regress::named_metrics(policy);
  return std::all_of(named.begin(), named.end(), [](const std::string& name) {
    return name == kRealTime || name == kCpuTime || name == kInstructions;
  });
}

}  // namespace

TimeSkipping time_skipping(const Configuration& configuration, BuildOrigin origin) {
  if (configuration.policy.skip_time) return {*configuration.policy.skip_time, UntimedBy::policy};
  const bool is_wanted =
      !configuration.targets.empty() || !names_no_other_metric(comparison_policy(configuration.policy));
  if (is_wanted) return {};
  if (origin == BuildOrigin::one_build) return {SkipTime::equal_binary, UntimedBy::one_build};
  const bool has_layouts = !configuration.run.relink.empty();
  const bool has_fixed_rounds = configuration.run.rounds != 0 || configuration.run.no_early_stop;
  if (has_layouts || has_fixed_rounds || configuration.policy.demand_decision) return {};
  if (origin == BuildOrigin::two_commits) return {SkipTime::equal_binary, UntimedBy::equal_builds};
  return {};
}

bool may_skip_time(const EqualBuilds& builds, const std::string& benchmark, SkipTime what) {
  if (what == SkipTime::never) return false;
  return builds.same_program.contains(benchmark) ||
         (what == SkipTime::equal_code && builds.same_counts.contains(benchmark));
}

void add_note(RowNote note, ComparisonRow& row) {
  row.reason += (row.reason.empty() ? "" : "; ") + note_text(note);
  row.notes.add(note);
}

void annotate_equal_builds(const EqualBuilds& builds, const std::set<std::string>& untimed, Comparison& comparison,
                           UntimedBy by) {
  for (ComparisonRow& row : comparison.rows) {
    const bool is_count = row.metric.name == kInstructions && row.ratio;
    if (is_count && builds.same_code.contains(row.benchmark)) add_note(RowNote::equal_code, row);
    if (is_count && builds.same_counts.contains(row.benchmark)) add_note(RowNote::equal_counts, row);
  }
  if (untimed.empty()) return;
  const std::vector<Metric> metrics = metrics_of_time(comparison.policy);
  // Where nothing at all was timed, a metric that the policy names is not missing: it was excluded on purpose.
  const bool none_timed = std::all_of(comparison.rows.begin(), comparison.rows.end(), [&](const ComparisonRow& row) {
    return row.benchmark == kAllBenchmarks || untimed.contains(row.benchmark);
  });
  if (none_timed) {
    std::erase_if(comparison.rows, [&](const ComparisonRow& row) {
      return row.benchmark == kAllBenchmarks && row.verdict == Verdict::missing && contains(metrics, row.metric.name);
    });
  }
  for (const std::string& benchmark : untimed) {
    for (const Metric& metric : metrics) {
      if (!regress::is_judged(comparison.policy, benchmark, metric.name, metric.kind)) continue;
      const bool was_measured =
          std::any_of(comparison.rows.begin(), comparison.rows.end(),
                      [&](const ComparisonRow& r) { return r.benchmark == benchmark && r.metric.name == metric.name; });
      if (!was_measured) insert(untimed_row(benchmark, metric, builds, comparison, by), comparison.rows);
    }
  }
  decide_gates_in_words(comparison);
}

}  // namespace steelyard::ci
