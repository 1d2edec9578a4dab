#include "ci/judging/creep.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "bench/model/sha256.hpp"
#include "ci/app/keeping.hpp"
#include "ci/judging/against_history.hpp"
#include "ci/judging/stored_series.hpp"
#include "ci/report/judgement_text.hpp"
#include "ci/report/warning_text.hpp"
#include "regress/ab/counted.hpp"
#include "regress/ab/gates.hpp"
#include "regress/policy/pattern_policy.hpp"
#include "storage/alert_store.hpp"
#include "storage/history_store.hpp"

namespace steelyard::ci {
namespace {

constexpr int kCreepPoints = 2000;        // newest of each series: creep is slow
constexpr std::size_t kMaxAskedOne = 20;  // rows whose series are asked for one by one; more: all of their metric

using regress::CountPoint;
using regress::ReferenceLevel;

// What all rows of one comparison are looked up by.
struct Lookup {
  std::string project;
  std::string machine;
  std::string branch;             // that is asked for; empty: any
  std::vector<std::string> line;  // first parents from the baseline on, oldest first; empty: the branch's order counts
  std::string end;                // without a line: the newest commit that counts; empty: all
  std::vector<Release> releases = {};
  std::vector<storage::AcceptedAlert> accepted = {};
  std::vector<std::string> branches = {};  // on which a level was accepted
};

// The points that stand on the line, in its order.
std::vector<storage::HistoryPoint> points_on(const std::vector<std::string>& line,
                                             const std::vector<storage::HistoryPoint>& points) {
  std::map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < line.size(); ++i) places.emplace(line[i], i);
  std::vector<std::pair<std::size_t, storage::HistoryPoint>> placed;
  for (const storage::HistoryPoint& point : points) {
    if (const auto at = places.find(point.commit); at != places.end()) placed.emplace_back(at->second, point);
  }
  std::stable_sort(placed.begin(), placed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<storage::HistoryPoint> all;
  for (auto& [place, point] : placed) all.push_back(std::move(point));
  return all;
}

// Without what came after that commit; nothing where it is not among them, since then nobody knows what came before.
void cut_behind(const std::string& end, std::vector<storage::HistoryPoint>& points) {
  const auto last = std::find_if(points.rbegin(), points.rend(),
                                 [&](const storage::HistoryPoint& point) { return point.commit == end; });
  points.erase(last.base(), points.end());
}

const Measurement* measurement_of(const Run& run, const ComparisonRow& row) {
  const auto found = std::find_if(run.measurements.begin(), run.measurements.end(), [&](const Measurement& one) {
    return one.metric.name == row.metric.name && one.benchmark.canonical() == row.benchmark;
  });
  return found == run.measurements.end() ? nullptr : &*found;
}

// Under which the two sides were counted, among those of the series; another one where it has none such.
int condition_now(const storage::HistorySeries& series, const Run& candidate, const ComparisonRow& row) {
  const Measurement* own = measurement_of(candidate, row);
  const auto at = own == nullptr ? series.conditions.end()
                                 : std::find(series.conditions.begin(), series.conditions.end(), own->count_key);
  return static_cast<int>(at - series.conditions.begin());
}

std::optional<Creep> creep_of(storage::HistorySeries series, const Lookup& lookup, const ComparisonRow& row,
                              const Run& baseline, const Run& candidate, const ComparisonPolicy& policy) {
  if (!lookup.line.empty()) series.points = points_on(lookup.line, series.points);
  if (lookup.line.empty() && !lookup.end.empty()) cut_behind(lookup.end, series.points);
  regress::CreepQuestion question;
  question.points = count_points(series);
  if (question.points.empty()) return std::nullopt;  // this comparison alone is no history
  const int condition = condition_now(series, candidate, row);
  question.points.push_back({*row.baseline, baseline.header.commit.sha, condition});
  question.points.push_back({*row.candidate, candidate.header.commit.sha, condition});
  question.references = reference_levels(series, lookup.accepted, lookup.releases, {lookup.branches});
  question.better = row.metric.better;
  question.rules = {regress::minimum_effect_of(policy, row.benchmark, MetricKind::counted),
                    std::max(row.jitter.value_or(0), seen_jitter(question.points))};
  return regress::judge_creep(question);
}

// Of the rows' benchmarks and metrics on that machine.
Result<std::vector<storage::HistorySeries>> series_of_rows(storage::Store& store, const Lookup& lookup,
                                                           const std::vector<ComparisonRow*>& rows,
                                                           const std::vector<BenchmarkRename>& renames,
                                                           std::vector<std::string>& notes) {
  const ReadSeries more = [&store](const storage::HistoryQuery& asked) {
    return storage::HistoryStore(store).series(asked);
  };
  std::set<std::pair<std::string, std::string>> wanted;  // benchmark (empty: all) and metric
  for (const ComparisonRow* row : rows) {
    wanted.emplace(rows.size() <= kMaxAskedOne ? row->benchmark : std::string(), row->metric.name);
  }
  std::vector<storage::HistorySeries> all;
  for (const auto& [benchmark, metric] : wanted) {
    storage::HistoryQuery query;
    query.benchmark = benchmark;
    query.metric = metric;
    query.branch = lookup.branch;
    query.project = lookup.project;
    query.machine = lookup.machine;
    query.limit = kCreepPoints;
    query.off_branch = false;
    query.with_invocations = false;
    STEELYARD_TRY(std::vector<storage::HistorySeries> found, storage::HistoryStore(store).series(query));
    STEELYARD_TRY(found, under_current_names(std::move(found), query, renames, more, notes));
    std::move(found.begin(), found.end(), std::back_inserter(all));
  }
  return all;
}

// Where the baseline's commit stands: by the repository where it knows all of its line, else by the store.
Result<Lookup> lookup_of(storage::Store& store, const Run& baseline, const Run& candidate, const std::string& branch,
                         const std::optional<GitRepository>& repository) {
  Lookup lookup;
  lookup.project = candidate.header.project;
  lookup.machine = candidate.environment.fingerprint();
  lookup.branches = {branch, candidate.header.commit.branch, baseline.header.commit.branch};
  const std::string& sha = baseline.header.commit.sha;
  if (sha.empty()) return lookup;
  if (repository && !repository->is_shallow()) {
    const Result<std::vector<std::string>> line = repository->line_to(sha);
    if (line) lookup.line = *line;
  }
  if (!lookup.line.empty()) return lookup;
  lookup.branch = branch;
  lookup.end = sha;
  storage::BaselineQuery query{lookup.project, lookup.machine, candidate.header.commit.sha, branch};
  query.only_branch = true;
  STEELYARD_TRY(const std::optional<storage::FoundBaseline> found, storage::HistoryStore(store).latest_baseline(query));
  if (found && found->is_ancestor) lookup.end = found->commit;
  return lookup;
}

}  // namespace

std::vector<ReferenceLevel> reference_levels(const storage::HistorySeries& series,
                                             const std::vector<storage::AcceptedAlert>& accepted,
                                             const std::vector<Release>& releases, const LevelsFor& where) {
  constexpr std::int64_t kNanoseconds = 1'000'000'000;
  std::vector<ReferenceLevel> levels;
  const bool knows_branches =
      std::any_of(where.branches.begin(), where.branches.end(), [](const std::string& one) { return !one.empty(); });
  for (const storage::AcceptedAlert& one : accepted) {
    // What a request's gate accepted holds where it is to be merged into, merged or not, and where nobody knows that
    // everywhere: it measured a trial merge or a commit that was squashed, of which nothing in the history tells later.
    const bool is_of_request = storage::is_request_branch(one.subject.branch);
    const std::string& branch = is_of_request ? one.merged_into : one.subject.branch;
    const bool is_here = branch.empty() || (is_of_request && !knows_branches) ||
                         std::find(where.branches.begin(), where.branches.end(), branch) != where.branches.end();
    const bool is_of_it = one.subject.project == series.project && one.subject.benchmark == series.benchmark &&
                          one.subject.metric == series.metric.name && one.fingerprint == series.fingerprint &&
                          (one.unit.empty() || one.unit == series.metric.unit);
    if (!is_here || !is_of_it || !one.level) continue;
    levels.push_back({LevelOrigin::accepted, one.commit, one.level, one.at_unix_ns / kNanoseconds, {}});
  }
  for (const Release& release : releases) {
    levels.push_back({LevelOrigin::released, release.commit, std::nullopt, release.at_unix_s, release.name});
  }
  return levels;
}

std::vector<CountPoint> count_points(const storage::HistorySeries& series) {
  std::vector<CountPoint> points;
  for (const storage::HistoryPoint& point : series.points) {
    if (!point.is_off_branch) points.push_back({point.value, point.commit, point.condition});
  }
  return points;
}

double seen_jitter(std::span<const CountPoint> points) {
  double jitter = 0;
  std::map<std::pair<std::string_view, int>, std::vector<double>> repeats;
  for (const CountPoint& point : points) {
    if (!point.commit.empty()) repeats[{point.commit, point.condition}].push_back(point.value);
  }
  for (const auto& [commit, values] : repeats) jitter = std::max(jitter, regress::relative_jitter(values));
  return jitter;
}

std::optional<GitRepository> repository_here() {
  std::error_code trouble;
  const std::filesystem::path folder = std::filesystem::current_path(trouble);
  if (trouble) return std::nullopt;
  Result<GitRepository> repository = GitRepository::find(folder);
  return repository ? std::optional(std::move(repository).value()) : std::nullopt;
}

std::set<std::string> commits_of(const std::vector<storage::HistorySeries>& all) {
  std::set<std::string> commits;
  for (const storage::HistorySeries& series : all) {
    for (const storage::HistoryPoint& point : series.points) commits.insert(point.commit);
  }
  commits.erase("");
  return commits;
}

std::optional<Creep> creep_beyond(const storage::HistorySeries& series, const CreepLook& look) {
  const bool is_judged =
      series.metric.kind == MetricKind::counted && regress::metric_gates(look.policy, series.benchmark, series.metric);
  if (!is_judged) return std::nullopt;
  regress::CreepQuestion question;
  if (look.line.empty()) {
    question.points = count_points(series);
  } else {
    storage::HistorySeries of_line = series;
    of_line.points = points_on(look.line, series.points);
    question.points = count_points(of_line);
  }
  question.references = reference_levels(series, look.accepted, look.releases, {{look.branch}});
  question.better = series.metric.better;
  question.rules = {regress::minimum_effect_of(look.policy, series.benchmark, MetricKind::counted),
                    seen_jitter(question.points)};
  std::optional<Creep> creep = regress::judge_creep(question);
  return creep && creep->beyond ? creep : std::nullopt;
}

storage::KeptChangePoint creep_point(const storage::HistorySeries& series, const Creep& creep,
                                     const std::string& branch) {
  storage::KeptChangePoint point;
  point.project = series.project;
  point.benchmark = series.benchmark;
  point.metric = series.metric.name;
  point.fingerprint = series.fingerprint;
  point.branch = branch;
  // The first value known is another one whenever older ones are let go: that makes no other creep of it.
  const bool is_known = creep.origin != LevelOrigin::first_known;
  std::string content = "creep";
  for (const std::string& part : {point.project, point.benchmark, point.metric, point.fingerprint,
                                  is_known ? creep.commit + ' ' + creep.release : std::string()}) {
    content += ' ' + std::to_string(part.size()) + ':' + part;
  }
  point.id = sha256_hex(content);
  point.commit = creep.steps.back().commit;
  point.last_good = creep.commit;
  point.before = creep.accepted;
  point.after = creep.level;
  point.ratio = creep.level / creep.accepted;
  point.p = 0;  // counts differ or they do not
  point.regression = true;
  point.cause = ChangeCause::creep;
  return point;
}

std::vector<storage::ChangePointEvent> creep_events(const std::vector<storage::KeptChangePoint>& now,
                                                    const std::vector<storage::HistorySeries>& looked,
                                                    const std::vector<storage::KeptChangePoint>& kept,
                                                    const CreepLook& look) {
  const auto same = [](const storage::KeptChangePoint& one) {
    return [&one](const storage::KeptChangePoint& other) { return other.id == one.id && other.branch == one.branch; };
  };
  std::vector<storage::ChangePointEvent> events;
  for (const storage::KeptChangePoint& one : now) {
    const auto known = std::find_if(kept.begin(), kept.end(), same(one));
    if (known == kept.end()) {
      events.push_back({storage::ChangeEvent::confirmed, one, ""});
    } else if (known->gone) {
      events.push_back({storage::ChangeEvent::back, one, ""});
    } else if (known->commit != one.commit) {
      events.push_back({storage::ChangeEvent::moved, one, known->commit});
    }
  }
  for (const storage::KeptChangePoint& one : kept) {
    if (one.cause != ChangeCause::creep || one.gone || one.branch != look.branch) continue;
    if (std::any_of(now.begin(), now.end(), same(one))) continue;
    const bool was_looked_at = std::any_of(looked.begin(), looked.end(), [&](const storage::HistorySeries& series) {
      return series.project == one.project && series.benchmark == one.benchmark && series.metric.name == one.metric &&
             series.fingerprint == one.fingerprint;
    });
    const bool is_accepted =
        std::any_of(look.accepted.begin(), look.accepted.end(),
                    [&](const storage::AcceptedAlert& accepted) { return accepted.subject.change_point == one.id; });
    if (!was_looked_at || is_accepted) continue;
    storage::KeptChangePoint gone = one;
    gone.gone = true;
    events.push_back({storage::ChangeEvent::gone, std::move(gone), one.commit});
  }
  return events;
}

namespace {

Result<void> add_creep_in(storage::Store& store, const Run& baseline, const Run& candidate, const std::string& branch,
                          const std::vector<BenchmarkRename>& renames, Comparison& comparison) {
  std::vector<ComparisonRow*> rows;
  for (ComparisonRow& row : comparison.rows) {
    if (regress::may_creep(comparison.policy, row)) rows.push_back(&row);
  }
  if (rows.empty()) return {};
  const std::optional<GitRepository> repository = repository_here();
  STEELYARD_TRY(Lookup lookup, lookup_of(store, baseline, candidate, branch, repository));
  STEELYARD_TRY(std::vector<storage::HistorySeries> all,
                series_of_rows(store, lookup, rows, renames, comparison.warnings));
  if (repository) lookup.releases = repository->releases(commits_of(all));
  STEELYARD_TRY(lookup.accepted, storage::AlertStore(store).accepted({lookup.project, false}));
  under_current_names(renames, lookup.accepted);
  for (ComparisonRow* row : rows) {
    const auto own = std::find_if(all.begin(), all.end(), [&](const storage::HistorySeries& series) {
      return series.benchmark == row->benchmark && series.metric.name == row->metric.name &&
             series.metric.unit == row->metric.unit && series.fingerprint == lookup.machine &&
             series.project == lookup.project;
    });
    if (own != all.end()) row->creep = creep_of(*own, lookup, *row, baseline, candidate, comparison.policy);
  }
  decide_gates_in_words(comparison);
  return {};
}

}  // namespace

void add_creep(const Configuration& configuration, storage::Store* store, const Run& baseline, const Run& candidate,
               Comparison& comparison) {
  const bool any = std::any_of(comparison.rows.begin(), comparison.rows.end(),
                               [&](const ComparisonRow& row) { return regress::may_creep(comparison.policy, row); });
  if (!any) return;
  const std::string branch =
      history_branch(configuration.gate.history_branch, caller_environment(), candidate.header.commit);
  const auto added = [&]() -> Result<void> {
    if (store != nullptr) return add_creep_in(*store, baseline, candidate, branch, configuration.renames, comparison);
    STEELYARD_TRY(const storage::StoreAddress address, store_address(configuration));
    STEELYARD_TRY(storage::Store opened, connect(address));
    return add_creep_in(opened, baseline, candidate, branch, configuration.renames, comparison);
  }();
  if (added) return;
  comparison.warnings.push_back(warning::creep_not_judged(added.error()));
}

}  // namespace steelyard::ci
