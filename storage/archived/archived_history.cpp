#include "storage/archived/archived_history.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <system_error>
#include <unordered_set>
#include <utility>

#include "storage/archive/archive.hpp"
#include "storage/archived/newest_points.hpp"
#include "storage/postgres/run_writer.hpp"

namespace steelyard {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostArchives = 1'000'000;
constexpr std::size_t kMostPoints = 4'000'000;
constexpr std::int64_t kNsPerSecond = 1'000'000'000;

Result<std::vector<fs::path>> archives_below(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code trouble;
  for (fs::recursive_directory_iterator entry(folder, trouble), end; !trouble && entry != end;
       entry.increment(trouble)) {
    std::error_code own;
    // A work tree's own: thousands of folders, and no archive of ours.
    if (entry->path().filename() == ".git" && entry->is_directory(own)) entry.disable_recursion_pending();
    if (entry->path().extension() != ".syrun" || entry->is_directory(own)) continue;
    if (paths.size() == kMostArchives) {
      return input_error(folder.string(), "more than " + std::to_string(kMostArchives) + " archives",
                         "a history that is read as a whole", "fill a store: steelyard db rebuild --from FOLDER");
    }
    paths.push_back(entry->path());
  }
  if (trouble) return input_error(folder.string(), trouble.message(), "a folder of .syrun archives");
  std::sort(paths.begin(), paths.end());
  return paths;
}

class Reading {
 public:
  explicit Reading(const HistoryQuery& query)
      : query_(query), points_(static_cast<std::size_t>(std::max(query.limit, 0))) {}

  void take(const Run& run) {
    if (!seen_.insert(run.header.id).second) return;
    for (const Failure& failure : run.failures) note_benchmark(failure.benchmark.canonical());
    const bool is_wanted = (query_.branch.empty() || run.header.commit.branch == query_.branch) &&
                           (query_.project.empty() || run.header.project == query_.project);
    std::optional<std::size_t> index;  // only a run with a point costs memory
    const std::string fingerprint = is_wanted ? run.environment.fingerprint() : "";
    for (std::size_t i = 0; i < run.measurements.size(); ++i) {
      const Measurement& measurement = run.measurements[i];
      const std::string benchmark = measurement.benchmark.canonical();
      note_benchmark(benchmark);
      if (!is_wanted || !is_asked_for(benchmark) || !is_asked_for(measurement.metric)) continue;
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
  bool is_too_much() const { return points_.points() > kMostPoints; }
  std::vector<HistorySeries> series() const { return points_.series(); }

 private:
  // A whole name that there is means that benchmark alone, as in the store.
  void note_benchmark(const std::string& benchmark) {
    if (is_exact_ || query_.benchmark.empty() || benchmark != query_.benchmark) return;
    is_exact_ = true;
    points_.keep_only(benchmark);
  }
  bool is_asked_for(const std::string& benchmark) const {
    return is_exact_ ? benchmark == query_.benchmark : benchmark.find(query_.benchmark) != std::string::npos;
  }
  bool is_asked_for(const Metric& metric) const {
    if (query_.metric.empty()) return metric.name == kRealTime || metric.kind == MetricKind::counted;
    return metric.name == query_.metric;
  }
  static ArchivedRun shared_of(const RunHeader& header) {
    const std::int64_t committed = header.commit.sha.empty() ? 0 : header.commit.committed_at_unix_s * kNsPerSecond;
    return {header.id, header.commit.sha, header.commit.subject, committed != 0 ? committed : header.created_at_unix_ns,
            header.created_at_unix_ns};
  }

  const HistoryQuery& query_;
  NewestPoints points_;
  std::unordered_set<std::string> seen_;
  bool is_exact_ = false;
};

}  // namespace

Result<ArchivedHistory> read_archived_history(const fs::path& folder, const HistoryQuery& query,
                                              const std::function<void(double)>& progress) {
  if (!query.machine.empty() || !query.parameters.empty() || !query.label.empty() || !query.after.empty() ||
      query.series_limit != 0) {
    return input_error(folder.string(), "a question about machines, parameters, labels or pages",
                       "one about benchmark, metric, branch and project",
                       "fill a store: steelyard db rebuild --from FOLDER");
  }
  STEELYARD_TRY(const std::vector<fs::path> paths, archives_below(folder));
  ArchivedHistory history;
  Reading reading(query);
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const Result<Run> run = read_archive(paths[i]);
    if (run) {
      reading.take(*run);
    } else {
      history.bad.push_back(run.error());
    }
    if (reading.is_too_much()) {
      return input_error(folder.string(), "more than " + std::to_string(kMostPoints) + " points",
                         "a history that fits in memory", "name a benchmark or a --metric, or lower --limit");
    }
    if (progress) progress(static_cast<double>(i + 1) / static_cast<double>(paths.size()));
  }
  history.archives = reading.runs();
  history.series = reading.series();
  return history;
}

}  // namespace steelyard
