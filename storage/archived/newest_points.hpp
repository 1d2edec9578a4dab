// The newest points of each of many series, as they come by in any order, and the order of the runs of one branch from
// what the runs themselves tell of their commits: as a store tells both that was filled with them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "bench/model/measurement.hpp"
#include "bench/model/run.hpp"
#include "storage/model/history.hpp"
#include "storage/postgres/history/commit_order.hpp"

namespace steelyard {

// What the points of one run share.
struct ArchivedRun {
  std::string id;
  std::string commit;
  std::string subject;
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

}  // namespace steelyard
