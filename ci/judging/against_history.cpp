#include "ci/judging/against_history.hpp"

#include <algorithm>
#include <map>
#include <ostream>

#include "ci/app/keeping.hpp"
#include "ci/app/messages.hpp"
#include "ci/app/settings.hpp"
#include "ci/app/sides.hpp"
#include "ci/attribution/attribute.hpp"
#include "ci/attribution/own_folders.hpp"
#include "ci/git/caller_environment.hpp"
#include "ci/judging/accepted_levels.hpp"
#include "ci/judging/changed_pictures.hpp"
#include "ci/judging/evidence.hpp"
#include "ci/judging/explanations.hpp"
#include "ci/judging/history_branch.hpp"
#include "ci/judging/history_run.hpp"
#include "ci/judging/known_calibration.hpp"
#include "ci/judging/measure_head.hpp"
#include "ci/judging/outcome.hpp"
#include "ci/judging/report_targets.hpp"
#include "ci/judging/row_pictures.hpp"
#include "ci/judging/store_series.hpp"
#include "ci/report/report.hpp"
#include "regress/compare_runs.hpp"
#include "regress/history/explain_history.hpp"
#include "regress/history/judge_history.hpp"
#include "storage/archive/archive.hpp"

namespace steelyard {
namespace {

constexpr int kPoints = 300;  // newest of each series: a level that is older than that is none to judge by

struct Judgement {
  Comparison comparison;
  Run baseline;  // the parent that was measured together, or the newest run of the history
  bool beside_parent = false;
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
    query.off_branch = false;  // a level that a force-push took away is none to judge by
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

// Points of other machines are never compared with these: of them the newest is kept, which tells that there are any.
void keep_points_of(const std::string& machine, Series& series) {
  const auto is_elsewhere = [&](const SeriesPoint& point) { return point.machine != machine; };
  const auto newest = std::find_if(series.points.rbegin(), series.points.rend(), is_elsewhere);
  if (newest == series.points.rend()) return;
  const SeriesPoint elsewhere = *newest;
  std::erase_if(series.points, is_elsewhere);
  series.points.push_back(elsewhere);
}

// newest: id of the run that counts are held against; empty: there is none.
Result<HistoryBaseline> baseline_of(Store& store, const std::vector<HistorySeries>& history, const std::string& newest,
                                    const Run& candidate, const ComparisonPolicy& policy) {
  HistoryBaseline baseline;
  if (!newest.empty()) {
    STEELYARD_TRY(baseline.newest, store.get_run(newest));
  }
  const std::string machine = candidate.environment.fingerprint();
  std::map<std::pair<std::string, std::string>, double> invocations;
  for (const HistorySeries& series : history) {
    if (series.fingerprint == machine) invocations[{series.benchmark, series.metric.name}] = usual_invocations(series);
  }
  for (Series& series : series_of_store(history, kPoints).series) {
    keep_points_of(machine, series);
    SeriesHistory one;
    one.changes = changes_to_judge_by(series, policy);
    const auto usual = invocations.find({series.name, series.metric});
    one.usual_invocations = usual == invocations.end() ? 1 : usual->second;
    one.series = std::move(series);
    baseline.series.push_back(std::move(one));
  }
  return baseline;
}

// The series of several projects say nothing of one candidate, though their benchmarks have the same names.
Result<void> check_one_project(const std::vector<HistorySeries>& history) {
  for (const HistorySeries& series : history) {
    if (series.project == history.front().project) continue;
    return input_error("--project",
                       "none, and the store has \"" + history.front().project + "\" and \"" + series.project + '"',
                       "the one that the run is of");
  }
  return {};
}

Result<Judgement> judge(Store& store, const Run& candidate, const GateOptions& options,
                        const Configuration& configuration, Streams& streams) {
  ComparisonPolicy policy = comparison_policy(configuration.policy);
  if (options.seed) policy.seed = *options.seed;
  Judgement judgement;
  std::vector<std::string> warnings;
  STEELYARD_TRY(std::optional<Run> parent, parent_beside(store, candidate));
  HistoryBaseline history;
  judgement.beside_parent = parent.has_value();
  if (parent) {
    judgement.baseline = std::move(*parent);
    note("baseline: " + candidate.header.commit.parent.substr(0, 7) + ", measured together with the candidate",
         options.common, streams);
  } else {
    const std::string branch =
        history_branch(configuration.gate.history_branch, caller_environment(), candidate.header.commit);
    note("baseline: the history" + (branch.empty() ? " of all branches" : " of branch " + branch), options.common,
         streams);
    const std::string project = configuration.project.empty() ? candidate.header.project : configuration.project;
    STEELYARD_TRY(const std::vector<HistorySeries> series, history_of(store, policy, project, branch));
    STEELYARD_CHECK(check_one_project(series));
    STEELYARD_TRY(const HistoryRun newest, find_history_run(store, series, candidate, branch));
    if (!newest.said.empty())
      warnings.push_back("the baseline run is of " + newest.said + "; counts are held against it");
    STEELYARD_TRY(history, baseline_of(store, series, newest.run, candidate, policy));
    STEELYARD_TRY(const std::vector<AcceptedAlert> accepted, store.accepted_alerts(project));
    add_accepted_levels(accepted,
                        {series.empty() ? project : series.front().project,
                         {branch, candidate.header.commit.branch},
                         candidate.environment.fingerprint()},
                        history.series);
    history.branch = branch;
    judgement.baseline = history.newest;
  }
  STEELYARD_TRY(const std::optional<Calibration> calibration,
                known_calibration(configuration, judgement.baseline, candidate, warnings));
  const Calibration* known = calibration ? &*calibration : nullptr;
  Comparison& comparison = judgement.comparison;
  comparison = parent ? compare_runs(judgement.baseline, candidate, policy, known)
                      : judge_against_history(history, candidate, policy, known);
  comparison.warnings.insert(comparison.warnings.end(), warnings.begin(), warnings.end());
  attribute(comparison, judgement.baseline, candidate, {own_folders(judgement.baseline, candidate)});
  return judgement;
}

ExitCode print_reports(const Judgement& judgement, const Run& candidate, const TargetReport& targets,
                       const GateOptions& options, Streams& streams) {
  const Comparison& comparison = judgement.comparison;
  Result<std::vector<Explanation>> found = explanations_of(options.explain, judgement.baseline, candidate, comparison);
  ExitCode code = found ? ExitCode::success : report_error(found.error(), streams);
  std::vector<Explanation> explanations = found ? std::move(*found) : std::vector<Explanation>{};
  if (!judgement.beside_parent) explain_by_history(comparison, explanations);
  if (options.common.json) {
    streams.out << json_report(comparison, targets, explanations);
  } else {
    const TerminalStyle style = terminal_style(streams, options.common.color);
    streams.out << terminal_report(comparison, style, targets) << terminal_explanations(explanations, style);
  }
  streams.out << std::flush;
  if (options.markdown.empty()) return code;
  const Result<void> written = write_text_file(options.markdown, markdown_report(comparison, targets));
  return written ? code : worse(code, report_error(written.error(), streams));
}

// Everything that is shown or kept of a judgement, in the order in which nothing hides a verdict.
ExitCode tell(Judgement& judgement, const Run& candidate, const GateOptions& options,
              const Configuration& configuration, Streams& streams) {
  ExitCode code = copy_archives(judgement.baseline, candidate, options.archive_dir, streams);
  Comparison& comparison = judgement.comparison;
  if (!options.flame_dir.empty()) {
    const Result<void> drawn = draw_changed_counts(comparison, judgement.baseline, candidate, options.flame_dir);
    if (!drawn) code = worse(code, report_error(drawn.error(), streams));
  }
  TargetReport targets = report_targets(candidate, configuration, options.run.empty() && options.bench.empty());
  if (targets.targets.empty()) targets.hint.clear();
  code = worse(code, keep_comparison(comparison, targets, options.archive_dir, streams));
  code = worse(code, print_reports(judgement, candidate, targets, options, streams));
  code =
      worse(code, show_pictures(comparison, judgement.baseline, candidate, options.pictures, options.common, streams));
  code = worse(code, outcome_of(targets));
  return worse(code, outcome_of(comparison, judgement.baseline, candidate, outcome_rules(configuration)));
}

// What is judged: measured now, or before. Absent: reported, with the code.
struct Candidate {
  ExitCode code = ExitCode::success;
  std::optional<Run> run;
  std::vector<std::string> warnings;
};

Candidate find_candidate(const GateOptions& options, const Configuration& configuration, Streams& streams) {
  Candidate candidate;
  if (options.run.empty()) {
    HeadMeasurement head = measure_head(options, configuration, streams);
    candidate.code = head.code;
    if (head.code != ExitCode::success) return candidate;
    if (head.interrupted) candidate.code = ExitCode::not_judged;
    candidate.run = std::move(head.run);
    candidate.warnings = std::move(head.warnings);
    if (!options.no_store) candidate.code = worse(candidate.code, keep_in_spool({&*candidate.run}, streams));
    return candidate;
  }
  Result<Run> loaded = load_side(options.run, configuration, options.common, streams, candidate.warnings);
  if (!loaded) {
    candidate.code = report_error(loaded.error(), streams);
    return candidate;
  }
  candidate.run = std::move(loaded).value();
  // A foreign file has no id, by which an archive is kept and the comparison finds it again.
  if (candidate.run->header.id.empty()) seal(*candidate.run);
  return candidate;
}

}  // namespace

ExitCode gate_against_history(const GateOptions& options, const Configuration& configuration, Streams& streams) {
  if (const auto named = check_named_calibration(configuration); !named) return report_error(named.error(), streams);
  const Candidate candidate = find_candidate(options, configuration, streams);
  if (!candidate.run) return candidate.code;
  ExitCode code = candidate.code;
  Result<Store> store = open_store(configuration, options.common, streams);
  // The history is the baseline: without it nothing can be judged.
  if (!store) return worse(ExitCode::not_judged, report_error(store.error(), streams));
  Result<Judgement> judged = judge(*store, *candidate.run, options, configuration, streams);
  if (!judged) return worse(ExitCode::not_judged, report_error(judged.error(), streams));
  Comparison& comparison = judged->comparison;
  comparison.warnings.insert(comparison.warnings.end(), candidate.warnings.begin(), candidate.warnings.end());
  code = worse(code, tell(*judged, *candidate.run, options, configuration, streams));
  if (options.no_store) return code;
  const std::vector<const Run*> own =
      options.run.empty() ? std::vector<const Run*>{&*candidate.run} : std::vector<const Run*>{};
  return worse(code, deliver_to_store(configuration, &comparison, options.common, streams, own));
}

}  // namespace steelyard
