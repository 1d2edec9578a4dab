#include "storage/archived/archived_history.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "bench/model/measurement.hpp"
#include "bench/model/run.hpp"
#include "bench/model/text.hpp"
#include "storage/archive/archive.hpp"
#include "storage/model/history.hpp"
#include "storage/place/files.hpp"
#include "storage/postgres/history/commit_order.hpp"
#include "storage/postgres/history/series_choice.hpp"
#include "storage/postgres/runs/run_writer.hpp"

namespace steelyard::storage {
namespace {

// The newest points of each of many series, as they come by in any order, and the order of the runs of one branch from
// what the runs themselves tell of their commits: as a store tells both that was filled with them.

// What the points of one run share.
struct ArchivedRun {
  std::string id;
  std::string commit;
  std::string subject;
  std::string branch;
  std::int64_t place_unix_ns = 0;  // its commit's date; without one, when it was taken
  std::int64_t at_unix_ns = 0;
  std::string project;
  std::int64_t rank = 0;  // its place on the branch that was asked for, from the oldest; 0: dates decide
  bool is_off_branch = false;
};

class NewestPoints {
 public:
  // limit: of each series. The runs' ranks must be known before points are added, or the limit be kAll.
  static constexpr std::size_t kAll = static_cast<std::size_t>(-1);
  explicit NewestPoints(std::size_t limit) : limit_(limit) {}

  struct SeriesKey {
    std::string benchmark;
    std::string project;
    Metric metric;
    std::string fingerprint;
    bool operator<(const SeriesKey& other) const;
  };
  struct Point {
    std::size_t run = 0;  // index, as add_run gave it
    std::size_t position = 0;
    double value = 0;
    std::int64_t samples = 0;
    std::int64_t invocations = 0;
  };

  std::size_t add_run(ArchivedRun run);
  void add(const SeriesKey& series, const Point& point);

  std::size_t points() const { return points_; }
  // Only this benchmark's series from now on, if there is any.
  void keep_only(const std::string& benchmark);
  std::vector<ArchivedRun>& runs() { return runs_; }
  // By benchmark, project, metric and fingerprint.
  const std::map<SeriesKey, std::vector<Point>>& all() const { return series_; }
  const ArchivedRun& run_of(const Point& point) const { return runs_[point.run]; }
  // Newest first.
  std::vector<Point> in_order(std::vector<Point> points) const;

 private:
  // Whether a stands before b: by rank, then by the commits' dates, then by when they were taken, then by the run's id.
  bool is_older(const Point& a, const Point& b) const;

  std::size_t limit_;
  std::size_t points_ = 0;
  std::vector<ArchivedRun> runs_;
  std::map<SeriesKey, std::vector<Point>> series_;  // each a heap with its oldest point first
};

// The runs of one branch, and where each stands on it.
class BranchPlaces {
 public:
  explicit BranchPlaces(std::string branch) : branch_(std::move(branch)) {}

  // Every run, of other branches too: it may know a parent.
  void take(const RunHeader& header);
  // Gives each run of the branch its place among those of its project. False: no commit told its parent, so that dates
  // alone decide.
  bool put_in_order(std::vector<ArchivedRun>& runs) const;

 private:
  struct Project {
    std::map<std::string, MeasuredCommit> measured;  // by sha
    KnownParents parents;
  };
  std::string branch_;
  std::map<std::string, Project> projects_;
};

struct BranchPlace {
  std::int64_t position = 0;
  bool on_branch = true;
};
using Places = std::unordered_map<std::string, BranchPlace>;

Places places_of(const BranchOrder& order) {
  Places places;
  for (std::size_t i = 0; i < order.commits.size(); ++i) {
    places.emplace(order.commits[i], BranchPlace{static_cast<std::int64_t>(i), true});
  }
  for (const OffCommit& off : order.off) places.emplace(off.sha, BranchPlace{off.after, false});
  return places;
}

// Runs without a commit stand where they were taken, among the others.
std::vector<std::size_t> merged_by_date(const std::vector<std::size_t>& placed, const std::vector<std::size_t>& others,
                                        const std::vector<ArchivedRun>& runs) {
  std::vector<std::size_t> newest_first;
  auto other = others.begin();
  for (const std::size_t one : placed) {
    for (; other != others.end() && runs[*other].place_unix_ns > runs[one].place_unix_ns; ++other) {
      newest_first.push_back(*other);
    }
    newest_first.push_back(one);
  }
  newest_first.insert(newest_first.end(), other, others.end());
  return newest_first;
}

void order_project(const Places& places, const std::vector<std::size_t>& own, std::vector<ArchivedRun>& runs) {
  std::vector<std::size_t> placed;
  std::vector<std::size_t> others;
  for (const std::size_t i : own) {
    const auto place = places.find(runs[i].commit);
    if (place != places.end()) runs[i].is_off_branch = !place->second.on_branch;
    (place == places.end() ? others : placed).push_back(i);
  }
  const auto by_date = [&](std::size_t a, std::size_t b) {
    return std::tie(runs[a].place_unix_ns, runs[a].at_unix_ns, runs[a].id) >
           std::tie(runs[b].place_unix_ns, runs[b].at_unix_ns, runs[b].id);
  };
  std::sort(others.begin(), others.end(), by_date);
  std::sort(placed.begin(), placed.end(), [&](std::size_t a, std::size_t b) {
    const BranchPlace& of_a = places.at(runs[a].commit);
    const BranchPlace& of_b = places.at(runs[b].commit);
    if (of_a.position != of_b.position) return of_a.position > of_b.position;
    if (of_a.on_branch != of_b.on_branch) return of_b.on_branch;
    return by_date(a, b);
  });
  const std::vector<std::size_t> newest_first = merged_by_date(placed, others, runs);
  for (std::size_t i = 0; i < newest_first.size(); ++i) {
    runs[newest_first[i]].rank = static_cast<std::int64_t>(newest_first.size() - i);
  }
}

bool NewestPoints::SeriesKey::operator<(const SeriesKey& other) const {
  const auto sorted = [](const SeriesKey& key) {
    return std::tuple<const std::string&, const std::string&, const std::string&, const std::string&, std::string_view,
                      std::string_view, const std::string&>(key.benchmark, key.project, key.metric.name,
                                                            key.metric.unit, to_text(key.metric.better),
                                                            to_text(key.metric.kind), key.fingerprint);
  };
  return sorted(*this) < sorted(other);
}

bool NewestPoints::is_older(const Point& a, const Point& b) const {
  const ArchivedRun& of_a = runs_[a.run];
  const ArchivedRun& of_b = runs_[b.run];
  return std::tie(of_a.rank, of_a.place_unix_ns, of_a.at_unix_ns, of_a.id, a.position) <
         std::tie(of_b.rank, of_b.place_unix_ns, of_b.at_unix_ns, of_b.id, b.position);
}

std::size_t NewestPoints::add_run(ArchivedRun run) {
  runs_.push_back(std::move(run));
  return runs_.size() - 1;
}

void NewestPoints::add(const SeriesKey& series, const Point& point) {
  if (limit_ == 0) return;
  std::vector<Point>& heap = series_[series];
  if (limit_ == kAll) {
    heap.push_back(point);
    ++points_;
    return;
  }
  // The heap's first is the one that is older than all others.
  const auto is_newer = [this](const Point& a, const Point& b) { return is_older(b, a); };
  heap.push_back(point);
  std::push_heap(heap.begin(), heap.end(), is_newer);
  ++points_;
  if (heap.size() <= limit_) return;
  std::pop_heap(heap.begin(), heap.end(), is_newer);
  heap.pop_back();
  --points_;
}

void NewestPoints::keep_only(const std::string& benchmark) {
  for (auto each = series_.begin(); each != series_.end();) {
    if (each->first.benchmark == benchmark) {
      ++each;
      continue;
    }
    points_ -= each->second.size();
    each = series_.erase(each);
  }
}

std::vector<NewestPoints::Point> NewestPoints::in_order(std::vector<Point> points) const {
  std::sort(points.begin(), points.end(), [this](const Point& a, const Point& b) { return is_older(b, a); });
  return points;
}

void BranchPlaces::take(const RunHeader& header) {
  const Commit& commit = header.commit;
  if (commit.sha.empty()) return;
  Project& project = projects_[header.project];
  if (is_full_commit_hash(commit.sha) && is_full_commit_hash(commit.parent)) {
    project.parents.emplace(commit.sha, std::vector<std::string>{commit.parent});
  }
  if (commit.branch != branch_) return;
  MeasuredCommit& measured =
      project.measured.try_emplace(commit.sha, MeasuredCommit{commit.sha, 0, header.created_at_unix_ns}).first->second;
  measured.committed_at_unix_s = std::max(measured.committed_at_unix_s, commit.committed_at_unix_s);
  measured.first_run_at_unix_ns = std::min(measured.first_run_at_unix_ns, header.created_at_unix_ns);
}

bool BranchPlaces::put_in_order(std::vector<ArchivedRun>& runs) const {
  std::map<std::string, std::vector<std::size_t>> of_project;
  for (std::size_t i = 0; i < runs.size(); ++i) of_project[runs[i].project].push_back(i);
  bool knows_parents = false;
  for (const auto& [name, own] : of_project) {
    const auto project = projects_.find(name);
    if (project == projects_.end()) {
      order_project({}, own, runs);
      continue;
    }
    std::vector<MeasuredCommit> measured;
    for (const auto& [sha, commit] : project->second.measured) measured.push_back(commit);
    knows_parents = knows_parents || !project->second.parents.empty();
    order_project(places_of(order_of_branch(measured, project->second.parents)), own, runs);
  }
  return knows_parents;
}

namespace fs = std::filesystem;
using SeriesKey = NewestPoints::SeriesKey;
using Point = NewestPoints::Point;

ChosenSeries named(const SeriesKey& key) {
  ChosenSeries series;
  series.benchmark = key.benchmark;
  series.project = key.project;
  series.metric = key.metric;
  series.fingerprint = key.fingerprint;
  return series;
}
SeriesKey key_of(const ChosenSeries& series) {
  return {series.benchmark, series.project, series.metric, series.fingerprint};
}

// newest_first: all that are to be told, or more.
HistorySeries told(const SeriesKey& key, const std::vector<Point>& newest_first, const NewestPoints& points,
                   const HistoryQuery& query) {
  HistorySeries series{key.benchmark, key.metric, key.fingerprint, {}, key.project, {}};
  const std::size_t count = std::min(newest_first.size(), static_cast<std::size_t>(std::max(query.limit, 0)));
  series.points.reserve(count);
  for (std::size_t i = count; i-- > 0;) {
    const Point& point = newest_first[i];
    const ArchivedRun& run = points.run_of(point);
    series.points.push_back({run.id, run.commit, run.subject, run.at_unix_ns, point.value, point.samples,
                             point.invocations, run.is_off_branch, 0, run.branch});
  }
  if (newest_first.size() > count && count > 0) {
    const Point& oldest = newest_first[count - 1];
    series.older = cursor_before({named(key), points.run_of(oldest).id, static_cast<std::int64_t>(oldest.position)});
  }
  return series;
}

std::vector<Point> wanted_points(const NewestPoints& points, const std::vector<Point>& all, const HistoryQuery& query) {
  std::vector<Point> newest_first = points.in_order(all);
  if (!query.off_branch) {
    std::erase_if(newest_first, [&](const Point& point) { return points.run_of(point).is_off_branch; });
  }
  return newest_first;
}

Result<Page<HistorySeries>> older_points(const NewestPoints& points, const HistoryQuery& query) {
  STEELYARD_TRY(const PointPlace place, read_point_cursor(query.after));
  const auto series = points.all().find(key_of(place.series));
  std::vector<Point> newest_first =
      series == points.all().end() ? std::vector<Point>{} : wanted_points(points, series->second, query);
  const auto at = std::find_if(newest_first.begin(), newest_first.end(), [&](const Point& point) {
    return points.run_of(point).id == place.run && static_cast<std::int64_t>(point.position) == place.position;
  });
  if (at == newest_first.end()) {
    return input_error("--after", "a place that this history does not have", "one that it named",
                       "begin anew without it");
  }
  newest_first.erase(newest_first.begin(), at + 1);
  Page<HistorySeries> page;
  if (!newest_first.empty()) page.items.push_back(told(series->first, newest_first, points, query));
  return page;
}

// One page: the series that `is_chosen` takes, the newest points of each, and the cursors by which a store would go on.
// Error (input): the query's cursor is none, or of another history.
Result<Page<HistorySeries>> page_of(const NewestPoints& points, const HistoryQuery& query,
                                    const std::function<bool(const SeriesKey&)>& is_chosen) {
  if (is_point_cursor(query.after)) return older_points(points, query);
  auto next = points.all().begin();
  if (!query.after.empty()) {
    STEELYARD_TRY(const ChosenSeries last, read_series_cursor(query.after));
    next = points.all().upper_bound(key_of(last));
  }
  Page<HistorySeries> page;
  for (; next != points.all().end(); ++next) {
    if (!is_chosen(next->first)) continue;
    const std::vector<Point> newest_first = wanted_points(points, next->second, query);
    if (newest_first.empty()) continue;
    if (query.series_limit > 0 && page.items.size() == static_cast<std::size_t>(query.series_limit)) {
      const HistorySeries& last = page.items.back();
      page.next = cursor_after(named({last.benchmark, last.project, last.metric, last.fingerprint}));
      break;
    }
    page.items.push_back(told(next->first, newest_first, points, query));
  }
  return page;
}

constexpr std::size_t kMaxArchivedPoints = 4'000'000;
constexpr FileSearch kArchives = {.extension = ".syrun",
                                  .wanted = "a folder of .syrun archives",
                                  .most = 1'000'000,
                                  .counted = "archives",
                                  .wanted_of_more = "a history that is read as a whole",
                                  .fix_of_more = "fill a store: steelyard db rebuild --from FOLDER"};

bool has(const BenchmarkId& benchmark, const std::string& name, const std::string& value) {
  for (const Parameter& parameter : benchmark.parameters) {
    if (parameter.name == name && parameter.value == value) return true;
  }
  if (name == "threads") return benchmark.threads && std::to_string(*benchmark.threads) == value;
  if (name == "device") return benchmark.device == value;
  if (name == "dtype") return benchmark.dtype == value;
  return name == "suite" && benchmark.suite == value;
}

class Reading {
 public:
  explicit Reading(const HistoryQuery& query) : query_(query), points_(points_to_keep(query)), places_(query.branch) {}

  void take(const Run& run) {
    if (!seen_.insert(run.header.id).second) return;
    places_.take(run.header);
    all_projects_.insert(run.header.project);
    for (const Failure& failure : run.failures) note_benchmark(failure.benchmark.canonical());
    const bool is_wanted = (query_.branch.empty() || run.header.commit.branch == query_.branch) &&
                           (query_.project.empty() || run.header.project == query_.project);
    const std::string fingerprint = run.environment.fingerprint();
    note_machine(run.environment, fingerprint);
    if (is_wanted) note_labels(run);
    if (is_wanted) note_host(run.environment, fingerprint);
    std::optional<std::size_t> index;  // only a run with a point costs memory
    for (std::size_t i = 0; i < run.measurements.size(); ++i) {
      const Measurement& measurement = run.measurements[i];
      const std::string benchmark = measurement.benchmark.canonical();
      note_benchmark(benchmark);
      if (!is_wanted || !is_asked_for(benchmark) || !is_asked_for(measurement)) continue;
      const std::optional<double> value = median_of_medians(measurement);
      if (!value) continue;
      if (!index) index = points_.add_run(shared_of(run.header));
      std::int64_t samples = 0;
      for (const InvocationSamples& taken : measurement.invocations) {
        samples += static_cast<std::int64_t>(taken.values.size());
      }
      points_.add({benchmark, run.header.project, measurement.metric, fingerprint},
                  {*index, i, *value, samples, static_cast<std::int64_t>(measurement.invocations.size())});
    }
  }

  std::int64_t runs() const { return static_cast<std::int64_t>(seen_.size()); }
  bool is_too_much() const { return points_.points() > kMaxArchivedPoints; }
  Result<void> tell(ArchivedHistory& history) {
    if (!query_.branch.empty()) history.is_by_date = !places_.put_in_order(points_.runs());
    const auto is_chosen = [this](const NewestPoints::SeriesKey& key) {
      return (query_.machine.empty() || machines_.contains(key.fingerprint)) &&
             (query_.label.empty() || labelled_.contains({key.project, key.benchmark}));
    };
    STEELYARD_TRY(Page<HistorySeries> page, page_of(points_, query_, is_chosen));
    history.series = std::move(page.items);
    history.next = std::move(page.next);
    history.projects.assign(all_projects_.begin(), all_projects_.end());
    history.hosts = hosts_;
    return {};
  }

 private:
  // What stands on a branch where is known at the end only, and of an older page nothing is new.
  static std::size_t points_to_keep(const HistoryQuery& query) {
    if (query.limit > 0 && (!query.branch.empty() || !query.after.empty())) return NewestPoints::kAll;
    return query.limit > 0 ? static_cast<std::size_t>(query.limit) + 1 : 0;  // one more: there are older ones
  }
  // A whole name that there is means that benchmark alone, as in the store.
  void note_benchmark(const std::string& benchmark) {
    if (is_exact_ || query_.benchmark.empty() || benchmark != query_.benchmark) return;
    is_exact_ = true;
    points_.keep_only(benchmark);
  }
  void note_machine(const Environment& environment, const std::string& fingerprint) {
    if (query_.machine.empty()) return;
    const std::size_t equals = query_.machine.find('=');
    const bool fits = equals == std::string::npos
                          ? fingerprint.starts_with(query_.machine)
                          : std::any_of(environment.facts.begin(), environment.facts.end(), [&](const Fact& fact) {
                              return fact.name == query_.machine.substr(0, equals) &&
                                     fact.value.find(query_.machine.substr(equals + 1)) != std::string::npos;
                            });
    if (fits) machines_.insert(fingerprint);
  }
  void note_host(const Environment& environment, const std::string& fingerprint) {
    const std::string* const host = environment.find(kHostFact);
    if (host != nullptr && environment.find(kMachineFact) == nullptr) hosts_[fingerprint].insert(*host);
  }
  void note_labels(const Run& run) {
    if (query_.label.empty()) return;
    for (const auto& [benchmark, label] : run.labels) {
      if (label.find(query_.label) != std::string::npos) labelled_.emplace(run.header.project, benchmark);
    }
  }
  bool is_asked_for(const std::string& benchmark) const {
    return is_exact_ ? benchmark == query_.benchmark : benchmark.find(query_.benchmark) != std::string::npos;
  }
  bool is_asked_for(const Measurement& measurement) const {
    for (const std::string& parameter : query_.parameters) {
      const std::size_t equals = parameter.find('=');
      const bool is_named = equals != std::string::npos;
      if (!has(measurement.benchmark, is_named ? parameter.substr(0, equals) : "",
               is_named ? parameter.substr(equals + 1) : parameter)) {
        return false;
      }
    }
    const Metric& metric = measurement.metric;
    if (query_.metric.empty()) {
      return metric.name == kRealTime || metric.name == kInstructions || metric.kind == MetricKind::counted;
    }
    return query_.metric == kAnyMetric || metric.name == query_.metric;
  }
  static ArchivedRun shared_of(const RunHeader& header) {
    const std::int64_t committed = header.commit.sha.empty() ? 0 : header.commit.committed_at_unix_s;
    return {header.id,
            header.commit.sha,
            header.commit.subject,
            header.commit.branch,
            commit_date_ns(committed, header.created_at_unix_ns),
            header.created_at_unix_ns,
            header.project};
  }

  const HistoryQuery& query_;
  NewestPoints points_;
  BranchPlaces places_;
  std::unordered_set<std::string> seen_;
  std::set<std::string> all_projects_;
  HostsByMachine hosts_;
  std::unordered_set<std::string> machines_;                // fingerprints that the query means
  std::set<std::pair<std::string, std::string>> labelled_;  // projects and benchmarks
  bool is_exact_ = false;
};

}  // namespace

Result<ArchivedHistory> read_archived_history(const fs::path& folder, const HistoryQuery& query,
                                              const std::function<void(double)>& progress) {
  STEELYARD_TRY(const std::vector<fs::path> paths, files_below(folder, kArchives));
  ArchivedHistory history;
  Reading reading(query);
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const Result<Run> run = read_sealed_archive(paths[i]);
    if (!run) {
      history.bad.push_back(run.error());
    } else if (is_kept_count(run->header)) {
      ++history.kept_counts;
    } else {
      reading.take(*run);
    }
    if (reading.is_too_much()) {
      return input_error(folder.string(), "more than " + std::to_string(kMaxArchivedPoints) + " points",
                         "a history that fits in memory", "name a benchmark or a --metric, or lower --limit");
    }
    if (progress) progress(static_cast<double>(i + 1) / static_cast<double>(paths.size()));
  }
  history.archives = reading.runs();
  STEELYARD_CHECK(reading.tell(history));
  return history;
}

}  // namespace steelyard::storage
