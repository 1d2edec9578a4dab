// steelyard changes: where the level of a series changed.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "bench/model/benchmark_id.hpp"
#include "ci/app/keeping.hpp"
#include "ci/app/settings.hpp"
#include "ci/app/sides.hpp"
#include "ci/git/repository.hpp"
#include "ci/grammar/verb.hpp"
#include "ci/judging/creep.hpp"
#include "ci/judging/pictures.hpp"
#include "ci/judging/series_file.hpp"
#include "ci/judging/stored_series.hpp"
#include "ci/report/changes.hpp"
#include "ci/report/store.hpp"
#include "ci/report/warning_text.hpp"
#include "regress/history/change_points.hpp"
#include "regress/history/findings.hpp"
#include "storage/alert_store.hpp"
#include "storage/history_store.hpp"

namespace steelyard::ci {
namespace {

struct ChangesOptions {
  std::filesystem::path input;     // a JSON file of series, "-" for the input stream; empty: from the store
  std::filesystem::path archives;  // a folder of .syrun files; empty: the store
  std::string benchmark;           // a part of the name; empty: all
  std::string metric;
  std::string branch;
  int limit = 1000;
  std::filesystem::path svg;       // a .svg file, or a folder; empty: none
  std::filesystem::path markdown;  // empty: none
  bool fail_on_regression = false;
  bool no_store = false;  // what was found is not kept
};

Result<void> check_options(const ChangesOptions& options) {
  if (options.input.empty()) return {};
  if (!options.archives.empty()) return input_error("--input", "--archives as well", "one of the two");
  if (!options.benchmark.empty() || !options.metric.empty() || !options.branch.empty()) {
    return input_error("--input", "a benchmark, --metric or --branch", "the file alone", "they choose from the store");
  }
  return {};
}

// The series of one branch, each by itself: no point of another branch stands in one.
struct BranchLook {
  std::string branch;                            // empty: of points that name none, and all of a file
  ChangesReport report;                          // of these series alone
  std::vector<bool> is_cut;                      // by series: older points were excluded
  std::vector<storage::HistorySeries> stored;    // of the store
  std::vector<storage::KeptChangePoint> kept;    // by today's names
  std::vector<std::string> kept_names;           // as long: that they are kept under
  CreepLook creep;                               // what the store's counts are added up by
  std::vector<storage::KeptChangePoint> creeps;  // of now
};

// What is looked at, and the store, if any, that it came from and whose change points it keeps.
struct SeriesLook {
  std::vector<BranchLook> branches;
  ChangesReport report;                 // of all of them
  std::optional<storage::Store> store;  // absent: from a file or from archives
  std::string service;                  // that the store is asked over; empty: its database is at hand
  std::vector<storage::AcceptedAlert> accepted;
  std::vector<storage::AcceptedAlert> accepted_steps;  // whatever was shown since, for creep
  std::vector<storage::ChangePointEvent> mixed;        // that an older version kept of all branches as one
  bool is_part = false;                    // not all series of the machines: what they did together cannot be told
  bool has_bad_archive = false;            // one that could not be read is missing from the series
  std::vector<std::string> other_metrics;  // where there are no series of the usual ones and no metric was named
  storage::HostsByMachine hosts;           // of the machines that the series are of
};

// Points that name no branch stand by their dates: those of the folder's own commit alone follow each other.
void load_line(BranchLook& look) {
  const std::optional<GitRepository> repository = repository_here();
  if (!repository) return;
  look.creep.releases = repository->releases(commits_of(look.stored));
  if (!look.branch.empty() || repository->is_shallow()) return;
  const Result<std::string> head = repository->resolve("HEAD");
  if (!head) return;
  Result<std::vector<std::string>> line = repository->line_to(*head);
  if (line) look.creep.line = std::move(line).value();
}

Result<std::vector<storage::KeptChangePoint>> kept_points_of(storage::Store& store, const std::string& project,
                                                             const std::string& branch,
                                                             const std::vector<BenchmarkRename>& renames,
                                                             std::vector<std::string>& names) {
  STEELYARD_TRY(std::vector<storage::KeptChangePoint> kept,
                storage::HistoryStore(store).change_points(project, branch));
  for (storage::KeptChangePoint& point : kept) {
    names.push_back(point.benchmark);
    point.benchmark = current_name(renames, point.benchmark);
  }
  return kept;
}

// What history a look is at, and how it is read.
struct HistorySource {
  storage::HistoryQuery query;
  ReadSeries read;  // by today's names
  const Configuration& configuration;
};

// `all`: as series_of_store() takes it.
Result<void> add_branch(const HistorySource& source, const std::string& branch,
                        std::vector<storage::HistorySeries> stored, SeriesLook& look,
                        const std::vector<storage::HistorySeries>& all = {}) {
  BranchLook& own = look.branches.emplace_back();
  own.branch = branch;
  StoreSeries loaded = series_of_store(stored, source.query.limit, all);
  own.report.series = std::move(loaded.series);
  own.report.projects = std::move(loaded.projects);
  own.report.branches.assign(own.report.series.size(), branch);
  own.is_cut = std::move(loaded.is_cut);
  if (!look.store) return {};
  const std::string& project = source.query.project;
  STEELYARD_TRY(own.kept, kept_points_of(*look.store, project, branch, source.configuration.renames, own.kept_names));
  own.creep.branch = branch;
  own.creep.accepted = look.accepted_steps;
  own.stored = std::move(stored);
  load_line(own);
  return {};
}

// The branches whose points are the newest, where none is asked for, each in its own order.
Result<void> add_branches(const HistorySource& source, const App& app, SeriesLook& look) {
  constexpr std::size_t kMaxBranches = 100;  // each is asked for by itself
  STEELYARD_TRY(const std::vector<storage::HistorySeries> all, source.read(source.query));
  std::vector<std::string> branches = newest_branches_of(all);
  if (branches.size() > kMaxBranches) {
    app.note("the " + std::to_string(kMaxBranches) + " branches that were measured last are looked at, of " +
             std::to_string(branches.size()) + "; --branch NAME looks at another");
    branches.resize(kMaxBranches);
  }
  if (branches.empty()) branches.emplace_back();
  std::sort(branches.begin(), branches.end());
  for (const std::string& branch : branches) {
    if (branch.empty() || !look.store) {
      STEELYARD_CHECK(add_branch(source, branch, of_branch(branch, all), look, all));
      continue;
    }
    storage::HistoryQuery query = source.query;
    query.branch = branch;
    STEELYARD_TRY(std::vector<storage::HistorySeries> stored, source.read(query));
    STEELYARD_CHECK(add_branch(source, branch, std::move(stored), look));
  }
  if (!look.store) return {};
  std::vector<std::string> names;
  STEELYARD_TRY(const std::vector<storage::KeptChangePoint> kept,
                kept_points_of(*look.store, source.query.project, "", source.configuration.renames, names));
  look.mixed = of_mixed_branches(kept, all, look.accepted);
  under_kept_names(kept, names, look.mixed);
  return {};
}

// Those of machines that are several. Of archives all hosts are known by then.
Result<void> add_hosts(const storage::HistoryQuery& query, SeriesLook& look) {
  std::set<std::string> machines;
  for (const BranchLook& own : look.branches) {
    for (const Series& series : own.report.series) {
      for (const SeriesPoint& point : series.points) machines.insert(point.machine);
    }
  }
  if (look.store) {
    STEELYARD_TRY(
        look.hosts,
        storage::HistoryStore(*look.store).hosts(query.project, query.branch, {machines.begin(), machines.end()}));
  }
  std::erase_if(look.hosts, [&machines](const auto& machine) {
    return machine.second.size() < 2 || !machines.contains(machine.first);
  });
  return {};
}

Result<void> load_history(const ChangesOptions& options, const Configuration& configuration, const App& app,
                          SeriesLook& look) {
  HistorySource source{{}, {}, configuration};
  storage::HistoryQuery& query = source.query;
  query.benchmark = canonical_as_typed(options.benchmark);
  query.metric = options.metric;
  query.branch = options.branch;
  query.limit = options.limit;
  query.off_branch = false;  // what a force-push took away is no level of this branch
  if (options.archives.empty()) {
    STEELYARD_TRY(const storage::StoreAddress address, store_address(configuration));
    if (address.is_service()) look.service = address.safe_text();
    STEELYARD_TRY(look.store, open_store(configuration, app));
    STEELYARD_TRY(query.project, project_in_store(*look.store, configuration));
    STEELYARD_TRY(look.accepted, storage::AlertStore(*look.store).accepted({query.project}));
    STEELYARD_TRY(look.accepted_steps, storage::AlertStore(*look.store).accepted({query.project, false}));
    look.is_part = !options.benchmark.empty() || !(options.metric.empty() || options.metric == storage::kAnyMetric);
  }
  bool is_first = true;
  const ReadSeries as_kept = [&](const storage::HistoryQuery& asked) -> Result<std::vector<storage::HistorySeries>> {
    if (look.store) return storage::HistoryStore(*look.store).series(asked);
    STEELYARD_TRY(storage::ArchivedHistory archived, history_of_archives(options.archives, asked, configuration, app));
    look.has_bad_archive = look.has_bad_archive || !archived.bad.empty();
    for (auto& [machine, hosts] : archived.hosts) look.hosts[machine].merge(hosts);
    if (archived.is_by_date && std::exchange(is_first, false)) app.note(kArchivesByDate);
    return std::move(archived.series);
  };
  std::vector<std::string> notes;
  source.read = [&](const storage::HistoryQuery& asked) -> Result<std::vector<storage::HistorySeries>> {
    STEELYARD_TRY(std::vector<storage::HistorySeries> found, as_kept(asked));
    return under_current_names(std::move(found), asked, configuration.renames, as_kept, notes);
  };
  const auto has_series = [&look] {
    return std::any_of(look.branches.begin(), look.branches.end(),
                       [](const BranchLook& own) { return !own.report.series.empty(); });
  };
  const auto add_all = [&]() -> Result<void> {
    look.branches.clear();
    if (options.branch.empty()) return add_branches(source, app, look);
    STEELYARD_TRY(std::vector<storage::HistorySeries> stored, source.read(query));
    return add_branch(source, options.branch, std::move(stored), look);
  };
  STEELYARD_CHECK(add_all());
  const std::string today = current_name(configuration.renames, query.benchmark);
  if (!has_series() && today != query.benchmark) {
    const std::string asked = std::exchange(query.benchmark, today);
    STEELYARD_CHECK(add_all());
    if (has_series()) notes.push_back(warning::shown_under_todays_name(asked, today));
  }
  if (!has_series() && options.metric.empty()) {
    STEELYARD_TRY(look.other_metrics, metrics_that_fit(query, source.read, true));
  }
  STEELYARD_CHECK(add_hosts(query, look));
  app.notes(notes);
  return {};
}

Result<SeriesLook> load(const ChangesOptions& options, const Configuration& configuration, const App& app) {
  SeriesLook look;
  if (options.input.empty()) {
    STEELYARD_CHECK(load_history(options, configuration, app, look));
  } else {
    STEELYARD_TRY(look.branches.emplace_back().report.series, read_series_file(options.input, app.streams.in));
  }
  return look;
}

// What steps came to that are no change points, each too small for one.
void add_up(BranchLook& look) {
  ChangesReport& report = look.report;
  if (look.branch.empty() && look.creep.line.empty()) return;
  for (const storage::HistorySeries& one : look.stored) {
    std::optional<Creep> creep = creep_beyond(one, look.creep);
    if (!creep) continue;
    look.creeps.push_back(creep_point(one, *creep, look.branch));
    for (std::size_t i = 0; i < report.series.size(); ++i) {
      const Series& series = report.series[i];
      if (series.name != one.benchmark || series.metric != one.metric.name || report.projects[i] != one.project) {
        continue;
      }
      report.creeps.push_back({i, one.fingerprint, std::move(*creep)});
      break;
    }
  }
}

void judge_branch(const SeriesLook& look, const ComparisonPolicy& policy, BranchLook& own) {
  ChangesReport& report = own.report;
  regress::ChangeOptions options;
  options.false_alarm_rate = policy.false_alarm_rate;
  options.minimum_effect = policy.minimum_effect;
  report.changes.resize(report.series.size());
  for (std::size_t i = 0; i < report.series.size(); ++i) {
    if (look.store) options.known = known_changes(report.series[i], report.projects[i], own.kept);
    report.changes[i] = regress::find_changes(report.series[i], options);
    if (look.store) {
      mark_accepted(look.accepted, {report.projects[i], own.branch, policy.margin}, report.series[i],
                    report.changes[i]);
    }
  }
  for (std::size_t i = 0; i < report.series.size(); ++i) {
    for (regress::SteadyDrift& drift :
         regress::find_steady_drifts(report.series[i], report.changes[i], policy.minimum_effect)) {
      report.drifts.push_back({i, std::move(drift)});
    }
  }
  const regress::CommitOrder order(report.series);
  regress::mark_shared_moves(report.series, report.changes, order);
  for (std::size_t i = 0; look.is_part && i < report.series.size(); ++i) {
    take_kept_causes(own.kept, report.projects[i], report.series[i], report.changes[i]);
  }
  for (std::size_t i = 0; i < report.series.size(); ++i) {
    regress::mark_taken_back(report.series[i], options.minimum_effect, report.changes[i]);
  }
  report.findings = regress::group_changes(report.series, report.changes, order);
  own.creep.policy = policy;
  add_up(own);
}

// Moves what was found on one branch behind what was found on those before it.
void append_report(ChangesReport branch, ChangesReport& whole) {
  const std::size_t before = whole.series.size();
  for (regress::ChangeFinding& finding : branch.findings) {
    for (regress::FindingMember& member : finding.members) member.series += before;
  }
  for (SeriesCreep& creep : branch.creeps) creep.series += before;
  for (SeriesDrift& drift : branch.drifts) drift.series += before;
  const auto append = [](auto&& from, auto& to) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  };
  append(branch.series, whole.series);
  append(branch.changes, whole.changes);
  append(branch.findings, whole.findings);
  append(branch.projects, whole.projects);
  append(branch.branches, whole.branches);
  append(branch.creeps, whole.creeps);
  append(branch.drifts, whole.drifts);
}

void judge(SeriesLook& look, const Configuration& configuration) {
  const ComparisonPolicy policy = comparison_policy(configuration.policy);
  for (BranchLook& own : look.branches) judge_branch(look, policy, own);
}

void join_reports(SeriesLook& look) {
  ChangesReport& report = look.report;
  for (BranchLook& own : look.branches) append_report(std::move(own.report), report);
  std::stable_sort(report.findings.begin(), report.findings.end(), regress::stands_before);
  std::stable_sort(report.drifts.begin(), report.drifts.end(), [](const SeriesDrift& a, const SeriesDrift& b) {
    return std::abs(a.drift.ratio - 1) > std::abs(b.drift.ratio - 1);
  });
  std::stable_sort(report.creeps.begin(), report.creeps.end(), [](const SeriesCreep& a, const SeriesCreep& b) {
    return std::abs(a.creep.ratio - 1) > std::abs(b.creep.ratio - 1);
  });
}

// Where the repository at hand has several commits between the last at the old level and the first at the new one.
void count_commits_to_search(ChangesReport& report) {
  constexpr std::size_t kMaxCounted = 20;  // findings: each asks git
  const std::optional<GitRepository> repository = repository_here();
  if (!repository) return;
  for (const regress::ChangeFinding& finding : report.findings) {
    if (report.commits_to_search.size() == kMaxCounted) return;
    std::size_t& commits = report.commits_to_search.emplace_back(0);
    if (finding.cause != ChangeCause::commit || finding.last_good.empty()) continue;
    const Result<std::string> good = repository->resolve(finding.last_good);
    const Result<std::string> bad = repository->resolve(finding.newest.empty() ? finding.commit : finding.newest);
    if (!good || !bad) continue;
    const Result<std::vector<std::string>> line = repository->line_between(*good, *bad);
    if (line && line->front() == *good) commits = line->size() - 1;
  }
}

// Judged by another policy than usual, fewer or more points are seen; that is no reason to call any of them gone.
bool is_by_another_policy(const CommonOptions& common) {
  return std::any_of(common.overrides.begin(), common.overrides.end(),
                     [](const Override& change) { return change.key->section == "policy"; });
}

// So that a point keeps its identity at the next look.
ExitCode keep(SeriesLook& look, const ChangesOptions& options, const App& app) {
  if (!look.store || options.no_store || is_by_another_policy(app.common)) return ExitCode::success;
  if (!look.service.empty()) {
    app.note(warning::changes_not_kept(look.service));
    return ExitCode::success;
  }
  std::vector<storage::ChangePointEvent> all = look.mixed;
  if (!all.empty()) look.report.log.push_back(warning::mixed_branches(all.size()));
  std::size_t without_commit = 0;
  for (const BranchLook& own : look.branches) {
    const ChangesReport& report = own.report;
    std::vector<LookedAtSeries> looked;
    for (std::size_t i = 0; i < report.series.size(); ++i) {
      looked.push_back({&report.series[i], report.projects[i], &report.changes[i], own.is_cut[i]});
    }
    without_commit += changes_without_commit(looked);
    std::vector<storage::ChangePointEvent> events = change_events(looked, own.branch, own.kept);
    const std::vector<std::string> told = warning::changed_points(events);
    look.report.log.insert(look.report.log.end(), told.begin(), told.end());
    const std::vector<storage::ChangePointEvent> creeps = creep_events(own.creeps, own.stored, own.kept, own.creep);
    events.insert(events.end(), creeps.begin(), creeps.end());
    under_kept_names(own.kept, own.kept_names, events);
    all.insert(all.end(), events.begin(), events.end());
  }
  if (without_commit > 0) app.note(warning::changes_without_commit(without_commit));
  if (all.empty()) return ExitCode::success;
  const Result<bool> put = storage::HistoryStore(*look.store).put_change_points(all);
  return put ? ExitCode::success : app.report(put.error());
}

bool is_unaccepted_regression(const ChangePoint& change, ChangeCause cause) {
  return change.status == ChangeStatus::confirmed && change.regression && change.cause == cause &&
         change.accepted_by.empty();
}

// Whether a regression of the code stands that nobody accepted and nothing took back, on any of the machines.
bool has_standing_regression(const std::vector<ChangePoint>& changes) {
  return std::any_of(changes.begin(), changes.end(), [](const ChangePoint& change) {
    return is_unaccepted_regression(change, ChangeCause::commit) && !change.taken_back_at;
  });
}

// Whether what a machine did is the newest confirmed change of the series on it, and made it worse.
bool is_slowed_by_machine(const Series& series, const std::vector<ChangePoint>& changes) {
  std::map<std::string, bool> slowed;
  for (const ChangePoint& change : changes) {
    if (change.status != ChangeStatus::confirmed) continue;
    slowed[series.points[change.index].machine] = is_unaccepted_regression(change, ChangeCause::machine);
  }
  return std::any_of(slowed.begin(), slowed.end(), [](const auto& machine) { return machine.second; });
}

ExitCode outcome_of_changes(const ChangesReport& report, bool fail_on_regression) {
  if (!fail_on_regression) return ExitCode::success;
  if (!report.creeps.empty()) return ExitCode::regression;
  ExitCode code = ExitCode::success;
  for (std::size_t i = 0; i < report.series.size(); ++i) {
    if (has_standing_regression(report.changes[i])) return ExitCode::regression;
    if (is_slowed_by_machine(report.series[i], report.changes[i])) code = ExitCode::not_judged;
  }
  return code;
}

ExitCode draw(const ChangesReport& report, const std::filesystem::path& target, const App& app) {
  const Result<std::size_t> drawn = draw_series(report, target);
  if (!drawn) return app.report(drawn.error());
  if (*drawn == kMaxPictures) {
    app.note("--svg: " + std::to_string(kMaxPictures) +
             " series are drawn, and no more; name a benchmark for the others");
  }
  return ExitCode::success;
}

Result<ExitCode> run_changes(const ChangesOptions& options, const App& app) {
  STEELYARD_CHECK(check_options(options));
  STEELYARD_TRY(const Configuration configuration, effective_configuration(app));
  STEELYARD_TRY(SeriesLook look, load(options, configuration, app));
  judge(look, configuration);
  if (const std::string told = warning::several_hosts(look.hosts); !told.empty()) look.report.log.push_back(told);
  ExitCode code = keep(look, options, app);
  join_reports(look);
  count_commits_to_search(look.report);
  code = worse(code, outcome_of_changes(look.report, options.fail_on_regression));
  if (look.has_bad_archive) code = worse(code, ExitCode::bad_input);
  const ChangesReport& report = look.report;
  if (!options.svg.empty()) code = worse(code, draw(report, options.svg, app));
  if (!options.markdown.empty()) {
    const Result<void> written = write_text_file(options.markdown, markdown_changes(report));
    if (!written) code = worse(code, app.report(written.error()));
  }
  const std::string nothing = terminal_nothing_to_look_at(look.store.has_value(), look.other_metrics);
  if (app.common.json) {
    app.print(json_changes(report));
    if (!look.other_metrics.empty()) app.note(nothing.substr(0, nothing.size() - 1));  // a note ends its line itself
  } else if (report.series.empty()) {
    app.print(nothing);
  } else {
    app.print(terminal_changes(report, app.style()));
  }
  return code;
}

}  // namespace

Verb changes_verb() {
  const auto options = std::make_shared<ChangesOptions>();
  Verb verb = make_verb(
      options, run_changes, "changes",
      "Finds where the level of a series changed, with the commits that can be the cause; what one commit can explain "
      "is one finding. BENCHMARK: its name or a part of it. With --input, series of numbers from any program.",
      "  steelyard changes Sort --branch main --svg pictures\n"
      "  steelyard changes --json --input series.json");
  verb.names = {"[BENCHMARK]"};
  verb.take = [options](Words words) -> Result<void> {
    if (!words.names.empty()) options->benchmark = std::move(words.names[0]);
    return {};
  };
  verb.add(path_option("--input", "FILE", options->input,
                       "series as JSON (docs/guide/changes.md), in place of the store; -: standard input"));
  verb.add(path_option("--archives", "FOLDER", options->archives,
                       "the .syrun files below it, in place of the store; needs no server"));
  verb.add(text_option("--metric", "NAME", options->metric, "default: real_time, instructions and the counted ones"));
  verb.add(text_option("--branch", "NAME", options->branch,
                       "only commits of this branch; default: of each branch by itself"));
  verb.add(number_option("--limit", options->limit, "newest points of each series"));
  verb.add(path_option("--svg", "FILE|FOLDER", options->svg,
                       "draw the series: one file in .svg, or one a series with a change"));
  verb.add(output_option("--markdown", "FILE", options->markdown, "write the findings there as Markdown"));
  verb.add(flag_option("--fail-on-regression", options->fail_on_regression,
                       "exit with 1 where a confirmed regression stands that no later change took back"));
  verb.add(flag_option("--no-store", options->no_store, "look only: keep no change point in the store"));
  add_key_options(verb, {.sections = {"policy"}, .only = {"--false-alarm-rate", "--minimum-effect"}});
  add_key_options(verb, {{"store", "project"}});
  add_common_options(verb);
  return verb;
}

}  // namespace steelyard::ci
