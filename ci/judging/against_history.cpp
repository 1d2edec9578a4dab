#include "ci/judging/against_history.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "bench/runner/run_header.hpp"
#include "ci/app/keeping.hpp"
#include "ci/app/settings.hpp"
#include "ci/app/sides.hpp"
#include "ci/config/written_value.hpp"
#include "ci/git/ci_job.hpp"
#include "ci/git/repository.hpp"
#include "ci/judging/baseline_policy.hpp"
#include "ci/judging/creep.hpp"
#include "ci/judging/judge.hpp"
#include "ci/judging/judge_programs.hpp"
#include "ci/judging/stored_series.hpp"
#include "ci/report/markup.hpp"
#include "ci/report/warning_text.hpp"
#include "regress/ab/gates.hpp"
#include "regress/policy/pattern_policy.hpp"
#include "storage/alert_store.hpp"
#include "storage/archive/archive.hpp"
#include "storage/history_store.hpp"
#include "storage/run_store.hpp"

namespace steelyard::ci {
namespace {

constexpr int kPoints = 300;  // newest of each series: a level that is older than that is none to judge by

// The median, as a rule.
double usual_invocations(const storage::HistorySeries& series) {
  std::vector<std::int64_t> counts;
  for (const storage::HistoryPoint& point : series.points) counts.push_back(point.invocations);
  if (counts.empty()) return 1;
  std::sort(counts.begin(), counts.end());
  return static_cast<double>(counts[counts.size() / 2]);
}

// The run of the candidate's parent in one session, which were measured together; absent: there is none.
Result<std::optional<Run>> parent_beside(storage::Store& store, const Run& candidate, const App& app) {
  const RunHeader& header = candidate.header;
  if (header.session.empty() || header.commit.parent.empty()) return std::optional<Run>();
  STEELYARD_TRY(const std::vector<RunHeader> runs, storage::RunStore(store).of_commit(header.commit.parent));
  for (const RunHeader& run : runs) {
    if (run.session != header.session || run.id == header.id) continue;
    STEELYARD_TRY(Run parent, stored_run(store, run.id, app));
    return std::optional(std::move(parent));
  }
  return std::optional<Run>();
}

Result<std::vector<storage::HistorySeries>> history_of(storage::Store& store, const ComparisonPolicy& policy,
                                                       const std::string& project, const std::string& branch,
                                                       const std::vector<BenchmarkRename>& renames,
                                                       std::vector<std::string>& notes) {
  std::vector<std::string> metrics = policy.metrics;
  if (metrics.empty()) metrics.emplace_back();  // the usual ones
  for (std::string& named : regress::named_metrics(policy)) {
    if (std::find(metrics.begin(), metrics.end(), named) == metrics.end()) metrics.push_back(std::move(named));
  }
  std::vector<storage::HistorySeries> all;
  for (const std::string& metric : metrics) {
    storage::HistoryQuery query;
    query.metric = metric;
    query.branch = branch;
    query.project = project;
    query.limit = kPoints;
    query.off_branch = false;  // a level that a force-push took away is none to judge by
    STEELYARD_TRY(std::vector<storage::HistorySeries> found, storage::HistoryStore(store).series(query));
    STEELYARD_TRY(found, under_current_names(std::move(found), query, renames, {}, notes));
    for (storage::HistorySeries& series : found) {
      const bool is_known = std::any_of(all.begin(), all.end(), [&](const storage::HistorySeries& other) {
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

// newest: the run that counts are held against; empty: there is none.
regress::HistoryBaseline baseline_of(const std::vector<storage::HistorySeries>& history, Run newest,
                                     const Run& candidate, const ComparisonPolicy& policy) {
  regress::HistoryBaseline baseline;
  baseline.newest = std::move(newest);
  const std::string machine = candidate.environment.fingerprint();
  std::map<std::pair<std::string, std::string>, double> invocations;
  for (const storage::HistorySeries& series : history) {
    if (series.fingerprint == machine) invocations[{series.benchmark, series.metric.name}] = usual_invocations(series);
  }
  for (Series& series : series_of_store(history, kPoints).series) {
    keep_points_of(machine, series);
    SeriesHistory one;
    one.changes = regress::changes_to_judge_by(series, policy);
    const auto usual = invocations.find({series.name, series.metric});
    one.usual_invocations = usual == invocations.end() ? 1 : usual->second;
    one.series = std::move(series);
    baseline.series.push_back(std::move(one));
  }
  return baseline;
}

// The series of several projects say nothing of one candidate, though their benchmarks have the same names: its own, as
// configured, as the run says, else as a run that is measured here would say.
std::string project_of(const Run& candidate, const Configuration& configuration) {
  const bool says_it = configuration.project.empty() && !candidate.header.project.empty();
  return says_it ? candidate.header.project : project_name(configuration);
}

// Where the history has nothing of the project, and the store has others. Empty: it has, or is empty.
Result<std::string> warning_of_other_projects(storage::Store& store, const std::string& project) {
  Configuration asked;
  asked.project = project;
  STEELYARD_TRY(const std::vector<std::string> known, storage::HistoryStore(store).projects(project));
  const Result<std::string> found = project_to_read(asked, known, "the store");
  return found ? std::string() : found.error().text();
}

// Which run of a history a candidate's counts are held against.
struct HistoryRun {
  storage::FoundBaseline found;  // its run empty: the history has none on the candidate's machine
  bool is_newest = false;        // of the history, wherever the candidate's commit stands
};

// The newest run that is not the candidate itself.
HistoryRun newest_run(const std::vector<storage::HistorySeries>& history, const Run& candidate) {
  const std::string machine = candidate.environment.fingerprint();
  const storage::HistoryPoint* newest = nullptr;
  for (const storage::HistorySeries& series : history) {
    if (series.fingerprint != machine) continue;
    for (const storage::HistoryPoint& point : series.points) {
      const bool is_own = point.run == candidate.header.id ||
                          (!candidate.header.commit.sha.empty() && point.commit == candidate.header.commit.sha);
      if (!is_own && (newest == nullptr || point.at_unix_ns > newest->at_unix_ns)) newest = &point;
    }
  }
  if (newest == nullptr) return {};
  return {{newest->run, newest->commit}, true};
}

// Of the nearest ancestor of the candidate's commit that was measured on its machine and the branch (empty: any). Where
// no ancestor is known, the newest older run of the branch; for a candidate without a commit the history's newest.
// Never one of the candidate's own commit.
Result<HistoryRun> find_history_run(storage::Store& store, const std::vector<storage::HistorySeries>& history,
                                    const Run& candidate, const std::string& branch) {
  const std::string machine = candidate.environment.fingerprint();
  const bool is_known_here = std::any_of(history.begin(), history.end(), [&](const storage::HistorySeries& series) {
    return series.fingerprint == machine;
  });
  if (!is_known_here || candidate.header.commit.sha.empty()) return newest_run(history, candidate);
  storage::BaselineQuery query{history.front().project, machine, candidate.header.commit.sha, branch};
  query.only_branch = true;
  STEELYARD_TRY(const std::optional<storage::FoundBaseline> found, storage::HistoryStore(store).latest_baseline(query));
  if (!found) return newest_run(history, candidate);
  return HistoryRun{*found};
}

// What the candidate is held against.
struct Baseline {
  Run kept;  // the parent that was measured together, or the newest run of the history
  Run run;   // it, under today's names
  std::optional<regress::HistoryBaseline> history;
  std::vector<std::string> warnings;
  EarlierNames earlier_names = {};  // of what only the candidate's file renames
};

// Between a run that was kept and the candidate.
EarlierNames earlier_names_in(const Configuration& configuration, const Run& kept, const Run& candidate) {
  return earlier_names_of(renames_that_count(configuration.renames, names_in(kept), names_in(candidate)));
}

Result<Run> under_todays_names(Run run, const Configuration& configuration) {
  STEELYARD_CHECK(call_by_current_names(configuration.renames, "run:" + run.header.id.substr(0, 12), run));
  return run;
}

Result<Baseline> parent_as_baseline(Run parent, const Run& candidate, const Configuration& configuration,
                                    const App& app) {
  app.note(note::baseline_measured_together(candidate.header.commit.parent));
  EarlierNames earlier = earlier_names_in(configuration, parent, candidate);
  STEELYARD_TRY(Run run, under_todays_names(parent, with_earlier_names(configuration, earlier)));
  return Baseline{std::move(parent), std::move(run), std::nullopt, {}, std::move(earlier)};
}

ComparisonPolicy policy_for(const Run& candidate, const Configuration& configuration) {
  return regress::on_machine(comparison_policy(configuration.policy), regress::machine_names(candidate.environment));
}

Result<Baseline> history_as_baseline(storage::Store& store, const Run& candidate, const Configuration& asked,
                                     const App& app) {
  Configuration configuration = with_earlier_names(asked, {});
  const std::string branch =
      history_branch(configuration.gate.history_branch, caller_environment(), candidate.header.commit);
  app.note(note::baseline_is_history(branch));
  const std::string project = project_of(candidate, configuration);
  Baseline baseline;
  STEELYARD_TRY(std::vector<storage::HistorySeries> series,
                history_of(store, policy_for(candidate, configuration), project, branch, configuration.renames,
                           baseline.warnings));
  STEELYARD_TRY(const HistoryRun newest, find_history_run(store, series, candidate, branch));
  if (series.empty()) {
    STEELYARD_TRY(const std::string others, warning_of_other_projects(store, project));
    if (!others.empty()) baseline.warnings.push_back(others);
  }
  if (!newest.found.run.empty()) {
    baseline.warnings.push_back(newest.is_newest ? warning::counted_against_newest(newest.found.commit)
                                                 : warning::counted_against(newest.found, candidate.header.commit));
    STEELYARD_TRY(baseline.kept, stored_run(store, newest.found.run, app));
  }
  baseline.earlier_names = earlier_names_in(asked, baseline.kept, candidate);
  if (!baseline.earlier_names.empty()) {
    configuration = with_earlier_names(asked, baseline.earlier_names);
    STEELYARD_TRY(series, history_of(store, policy_for(candidate, configuration), project, branch,
                                     configuration.renames, baseline.warnings));
  }
  STEELYARD_TRY(Run counted, under_todays_names(baseline.kept, configuration));
  regress::HistoryBaseline history =
      baseline_of(series, std::move(counted), candidate, policy_for(candidate, configuration));
  STEELYARD_TRY(std::vector<storage::AcceptedAlert> accepted, storage::AlertStore(store).accepted({project}));
  under_current_names(configuration.renames, accepted);
  add_accepted_levels(accepted,
                      {project,
                       {branch, candidate.header.commit.branch, storage::alert_branch(candidate.header)},
                       candidate.environment.fingerprint()},
                      history.series);
  history.branch = branch;
  baseline.run = history.newest;
  baseline.history = std::move(history);
  return baseline;
}

Result<Baseline> find_baseline(storage::Store& store, const Run& candidate, const Configuration& configuration,
                               const App& app) {
  STEELYARD_TRY(std::optional<Run> parent, parent_beside(store, candidate, app));
  return parent ? parent_as_baseline(std::move(*parent), candidate, configuration, app)
                : history_as_baseline(store, candidate, configuration, app);
}

// What is judged: measured now, or before.
struct Candidate {
  HeadMeasurement measured;
  bool is_stored = false;  // it came from the store
};

// Of what it was measured by; empty: by none.
std::string filter_of(const RunHeader& run) {
  const auto filter = run.settings.find(std::string(bench::kFilterSetting));
  return filter == run.settings.end() ? std::string() : filter->second;
}

Candidate find_candidate(const GateRequest& gate, const Configuration& configuration, const App& app) {
  if (gate.run.empty()) return {measure_head(gate, configuration, app)};
  std::vector<std::string> warnings;
  Result<Run> run = load_side(gate.run, configuration, app, warnings);
  // A foreign file has no id, by which an archive is kept and the comparison finds it again, and is of no project. An
  // archive of none would be kept in a project without a name.
  if (run && (run->header.id.empty() || (run->header.project.empty() && !names_stored_run(gate.run)))) {
    run->header.project = project_of(*run, configuration);
    storage::seal(*run);
  }
  return {{std::move(run), false, std::move(warnings)}, names_stored_run(gate.run)};
}

// "BM_gemm [suite=cpu,dtype=f32]" as "BM_gemm [dtype=f32]".
std::string without_suite(const std::string& canonical) {
  constexpr std::string_view kSuite = " [suite=";
  const std::size_t suffix = canonical.rfind(kSuite);
  if (suffix == std::string::npos) return canonical;
  const std::size_t end = canonical.find(',', suffix);
  return canonical.substr(0, suffix) + (end == std::string::npos ? "" : " [" + canonical.substr(end + 1));
}

void erase_outside_filter(const RunHeader& candidate, Comparison& comparison) {
  const std::set<std::string> outside = benchmarks_outside_filter(candidate, comparison);
  if (outside.empty()) return;
  std::erase_if(comparison.rows, [&](const ComparisonRow& row) {
    return row.verdict == Verdict::missing && outside.contains(row.benchmark);
  });
  comparison.warnings.push_back(warning::outside_filter(outside.size(), filter_of(candidate)));
}

}  // namespace

std::set<std::string> benchmarks_outside_filter(const RunHeader& candidate, const Comparison& comparison) {
  std::set<std::string> outside;
  const std::string filter = filter_of(candidate);
  if (filter.empty() || !comparison.history) return outside;
  for (const ComparisonRow& row : comparison.rows) {
    if (row.verdict != Verdict::missing || row.benchmark == kAllBenchmarks) continue;
    // As its program lists it, and as a command's results have it.
    const bool is_outside = filter_excludes(filter, name_in_program(row.benchmark)) &&
                            filter_excludes(filter, without_suite(row.benchmark));
    if (is_outside) outside.insert(row.benchmark);
  }
  return outside;
}

Result<ExitCode> gate_against_history(const GateRequest& gate, const Configuration& asked,
                                      const std::vector<std::string>& notes, const App& app) {
  STEELYARD_TRY(KnownCalibration calibrations, KnownCalibration::of(asked));
  const Candidate found = find_candidate(gate, asked, app);
  const HeadMeasurement& candidate = found.measured;
  const auto nothing_judged = [&](const Error& error, ExitCode code) {
    const ExitCode reported = app.report(error);
    code = worse(code, reported);
    if (candidate.is_interrupted) return ExitCode::not_judged;
    leave_end(gate.outputs, {EndedGate::Stage::other, "", error.text(), static_cast<int>(reported)}, app);
    return code;
  };
  const ExitCode measured = candidate.is_interrupted ? ExitCode::not_judged : ExitCode::success;
  if (!candidate.run) return nothing_judged(candidate.run.error(), measured);
  // Without it nobody could judge again what is kept.
  if (!gate.outputs.no_store && !found.is_stored) keep_in_spool(asked, {&*candidate.run}, app);
  // The history is the baseline: without it nothing can be judged.
  Result<storage::Store> store = open_store(asked, app);
  if (!store) return nothing_judged(store.error(), ExitCode::not_judged);
  const Result<Baseline> baseline = find_baseline(*store, *candidate.run, asked, app);
  if (!baseline) return nothing_judged(baseline.error(), ExitCode::not_judged);
  const Configuration configuration = with_earlier_names(asked, baseline->earlier_names);
  const Result<Run> judged = under_todays_names(*candidate.run, configuration);
  if (!judged) return nothing_judged(judged.error(), ExitCode::not_judged);
  ComparisonRequest request{configuration, calibrations, gate.seed};
  if (baseline->history) request.history = &*baseline->history;
  const auto compare = [&] {
    Comparison comparison = compare_sides(baseline->run, *judged, request, baseline->warnings);
    erase_outside_filter(judged->header, comparison);
    add_creep(configuration, &*store, baseline->run, *judged, comparison);
    std::vector<std::string>& warnings = comparison.warnings;
    warnings.insert(warnings.end(), candidate.warnings.begin(), candidate.warnings.end());
    warnings.insert(warnings.begin(), notes.begin(), notes.end());
    return comparison;
  };
  JudgingPlan plan{configuration, gate.outputs, baseline->run, *judged, compare};
  plan.archived = {&baseline->kept, &*candidate.run};
  if (!gate.run.empty()) plan.from = SidesFrom::before;
  plan.expects_every_target = gate.run.empty() && gate.bench.empty() && configuration.run.filter.empty();
  plan.delivered.emplace();
  if (!found.is_stored) plan.delivered->push_back(&*candidate.run);
  return worse(measured, judge_runs(plan, app));
}

namespace {

// Empty where the variable is not set.
std::string value_of(const std::map<std::string, std::string>& variables, const char* name) {
  const auto found = variables.find(name);
  return found == variables.end() ? std::string() : found->second;
}

BaseChoice base_of_checkout(const std::map<std::string, std::string>& variables, BaseChoice first_parent,
                            std::size_t head_parents) {
  if (head_parents > 1) return first_parent;
  // A checkout of the branch itself: the runner's own idea of where it left the target is better than its last commit.
  if (const std::string base = value_of(variables, "CI_MERGE_REQUEST_DIFF_BASE_SHA"); !base.empty()) {
    return {base, {note::BaselineBy::diff_base}};
  }
  const std::string target = value_of(variables, "GITHUB_BASE_REF");
  if (value_of(variables, "GITHUB_EVENT_NAME") == "pull_request" && !target.empty()) {
    return {"origin/" + target, {note::BaselineBy::target_branch}};
  }
  return first_parent;
}

}  // namespace

BaseChoice default_base(const std::map<std::string, std::string>& variables, const std::string& head,
                        std::size_t head_parents) {
  BaseChoice first_parent{(head.empty() ? "HEAD" : head) + "^1", {note::BaselineBy::first_parent}};
  if (!head.empty()) return first_parent;
  const CiJob job = ci_job(variables);
  if (job.checkout == RequestCheckout::either && !job.base_branch.empty()) {
    return {"", {note::BaselineBy::left_branch, job.base_branch, job.service}};
  }
  BaseChoice choice = base_of_checkout(variables, std::move(first_parent), head_parents);
  choice.before = commit_before(variables);
  return choice;
}

std::string history_branch(const std::string& configured, const std::map<std::string, std::string>& variables,
                           const Commit& candidate) {
  if (!configured.empty()) return configured;
  const std::string target = ci_job(variables).base_branch;
  return target.empty() ? candidate.branch : target;
}

bool is_of_pull_request(const std::map<std::string, std::string>& variables) {
  return ci_job(variables).is_of_request();
}

}  // namespace steelyard::ci
