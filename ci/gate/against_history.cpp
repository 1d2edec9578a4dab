#include "ci/gate/against_history.hpp"

#include <algorithm>
#include <map>
#include <ostream>

#include "ci/attribution/attribute.hpp"
#include "ci/cli/keeping.hpp"
#include "ci/cli/messages.hpp"
#include "ci/cli/settings.hpp"
#include "ci/cli/sides.hpp"
#include "ci/gate/history_branch.hpp"
#include "ci/gate/measure_head.hpp"
#include "ci/gate/outcome.hpp"
#include "ci/git/caller_environment.hpp"
#include "ci/history/store_series.hpp"
#include "ci/pictures/row_pictures.hpp"
#include "ci/report/report.hpp"
#include "ci/targets/report_targets.hpp"
#include "regress/compare_runs.hpp"
#include "regress/history/change_points.hpp"
#include "regress/history/judge_history.hpp"

namespace steelyard {
namespace {

constexpr int kPoints = 300;  // newest of each series: a level that is older than that is none to judge by

struct Judgement {
  Comparison comparison;
  Run baseline;  // the parent that was measured together, or the newest run of the history
};

// The median, as a rule.
double usual_invocations(const HistorySeries& series) {
  std::vector<std::int64_t> counts;
  for (const HistoryPoint& point : series.points) counts.push_back(point.invocations);
  if (counts.empty()) return 1;
  std::sort(counts.begin(), counts.end());
  return static_cast<double>(counts[counts.size() / 2]);
}

// Absent: none was. Runs of one session were measured together.
Result<std::optional<Run>> parent_beside(Store& store, const Run& candidate) {
  const RunHeader& header = candidate.header;
  if (header.session.empty() || header.commit.parent.empty()) return std::optional<Run>();
  STEELYARD_TRY(const std::vector<RunHeader> runs, store.runs_of_commit(header.commit.parent));
  for (const RunHeader& run : runs) {
    if (run.session != header.session || run.id == header.id) continue;
    STEELYARD_TRY(Run parent, store.get_run(run.id));
    return std::optional(std::move(parent));
  }
  return std::optional<Run>();
}

Result<std::vector<HistorySeries>> history_of(Store& store, const ComparisonPolicy& policy, const std::string& project,
                                              const std::string& branch) {
  std::vector<std::string> metrics = policy.metrics;
  if (metrics.empty()) metrics.emplace_back();  // the usual ones
  for (const std::string& gating : policy.gates) {
    if (std::find(metrics.begin(), metrics.end(), gating) == metrics.end()) metrics.push_back(gating);
  }
  std::vector<HistorySeries> all;
  for (const std::string& metric : metrics) {
    HistoryQuery query;
    query.metric = metric;
    query.branch = branch;
    query.project = project;
    query.limit = kPoints;
    STEELYARD_TRY(std::vector<HistorySeries> found, store.history(query));
    for (HistorySeries& series : found) {
      const bool is_known = std::any_of(all.begin(), all.end(), [&](const HistorySeries& other) {
        return other.benchmark == series.benchmark && other.metric == series.metric &&
               other.fingerprint == series.fingerprint && other.project == series.project;
      });
      if (!is_known) all.push_back(std::move(series));
    }
  }
  return all;
}

// The newest that is not the candidate's own; empty: there is none on its machine.
std::string newest_run(const std::vector<HistorySeries>& history, const Run& candidate) {
  const std::string machine = candidate.environment.fingerprint();
  const HistoryPoint* newest = nullptr;
  for (const HistorySeries& series : history) {
    if (series.fingerprint != machine) continue;
    for (const HistoryPoint& point : series.points) {
      const bool is_own = point.run == candidate.header.id ||
                          (!candidate.header.commit.sha.empty() && point.commit == candidate.header.commit.sha);
      if (!is_own && (newest == nullptr || point.at_unix_ns > newest->at_unix_ns)) newest = &point;
    }
  }
  return newest == nullptr ? "" : newest->run;
}

Result<HistoryBaseline> baseline_of(Store& store, const std::vector<HistorySeries>& history, const Run& candidate,
                                    const ComparisonPolicy& policy) {
  HistoryBaseline baseline;
  const std::string newest = newest_run(history, candidate);
  if (!newest.empty()) {
    STEELYARD_TRY(baseline.newest, store.get_run(newest));
  }
  ChangeOptions options;
  options.false_alarm_rate = policy.false_alarm_rate;
  options.minimum_effect = policy.minimum_effect;
  const std::string machine = candidate.environment.fingerprint();
  std::map<std::pair<std::string, std::string>, double> invocations;
  for (const HistorySeries& series : history) {
    if (series.fingerprint == machine) invocations[{series.benchmark, series.metric.name}] = usual_invocations(series);
  }
  for (Series& series : series_of_store(history, kPoints).series) {
    SeriesHistory one;
    one.changes = find_changes(series, options);
    const auto usual = invocations.find({series.name, series.metric});
    one.usual_invocations = usual == invocations.end() ? 1 : usual->second;
    one.series = std::move(series);
    baseline.series.push_back(std::move(one));
  }
  return baseline;
}

Result<Judgement> judge(Store& store, const Run& candidate, const GateOptions& options,
                        const Configuration& configuration, Streams& streams) {
  ComparisonPolicy policy = comparison_policy(configuration.policy);
  if (options.seed) policy.seed = *options.seed;
  Judgement judgement;
  STEELYARD_TRY(std::optional<Run> parent, parent_beside(store, candidate));
  if (parent) {
    judgement.baseline = std::move(*parent);
    judgement.comparison = compare_runs(judgement.baseline, candidate, policy);
    note("baseline: " + candidate.header.commit.parent.substr(0, 7) + ", measured together with the candidate",
         options.common, streams);
  } else {
    const std::string branch =
        history_branch(configuration.gate.history_branch, caller_environment(), candidate.header.commit);
    note("baseline: the history" + (branch.empty() ? " of all branches" : " of branch " + branch), options.common,
         streams);
    const std::string project = configuration.project.empty() ? candidate.header.project : configuration.project;
    STEELYARD_TRY(const std::vector<HistorySeries> history, history_of(store, policy, project, branch));
    STEELYARD_TRY(HistoryBaseline baseline, baseline_of(store, history, candidate, policy));
    baseline.branch = branch;
    judgement.comparison = judge_against_history(baseline, candidate, policy);
    judgement.baseline = std::move(baseline.newest);
  }
  attribute(judgement.comparison, judgement.baseline, candidate, AttributionOptions{});
  return judgement;
}

ExitCode print_reports(const Comparison& comparison, const TargetReport& targets, const GateOptions& options,
                       Streams& streams) {
  streams.out << (options.common.json
                      ? json_report(comparison, targets)
                      : terminal_report(comparison, terminal_style(streams, options.common.color), targets))
              << std::flush;
  if (options.markdown.empty()) return ExitCode::success;
  const Result<void> written = write_text_file(options.markdown, markdown_report(comparison, targets));
  return written ? ExitCode::success : report_error(written.error(), streams);
}

}  // namespace

ExitCode gate_against_history(const GateOptions& options, const Configuration& configuration, Streams& streams) {
  ExitCode code = ExitCode::success;
  std::vector<std::string> warnings;
  Run candidate;
  if (options.run.empty()) {
    HeadMeasurement head = measure_head(options, configuration, streams);
    if (head.code != ExitCode::success) return head.code;
    candidate = std::move(head.run);
    warnings = std::move(head.warnings);
    if (!options.no_store) code = worse(code, keep_in_spool({&candidate}, streams));
  } else {
    Result<Run> loaded = load_side(options.run, configuration, options.common, streams, warnings);
    if (!loaded) return report_error(loaded.error(), streams);
    candidate = std::move(loaded).value();
  }
  Result<Store> store = open_store(configuration, options.common, streams);
  // The history is the baseline: without it nothing can be judged.
  if (!store) return worse(ExitCode::not_judged, report_error(store.error(), streams));
  Result<Judgement> judged = judge(*store, candidate, options, configuration, streams);
  if (!judged) return worse(ExitCode::not_judged, report_error(judged.error(), streams));
  Comparison& comparison = judged->comparison;
  comparison.warnings.insert(comparison.warnings.end(), warnings.begin(), warnings.end());
  TargetReport targets = report_targets(candidate, configuration, options.run.empty() && options.bench.empty());
  if (targets.targets.empty()) targets.hint.clear();
  code = worse(code, print_reports(comparison, targets, options, streams));
  code = worse(code, show_pictures(comparison, judged->baseline, candidate, options.pictures, options.common, streams));
  code = worse(code, outcome_of(targets));
  code = worse(code, outcome_of(comparison, judged->baseline, candidate, outcome_rules(configuration)));
  if (options.no_store) return code;
  const std::vector<const Run*> own =
      options.run.empty() ? std::vector<const Run*>{&candidate} : std::vector<const Run*>{};
  return worse(code, deliver_to_store(configuration, &comparison, options.common, streams, own));
}

}  // namespace steelyard
