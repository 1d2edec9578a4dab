#include "bench/harness/block_size.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace steelyard {
namespace {

constexpr double kMostOverhead = 1e-4;      // of a block's time
constexpr double kBlocksPerRunTime = 1000;  // a block is at least this part of min_run_time
constexpr std::int64_t kMostRuns = 2147483647;
constexpr double kAim = 1.4;  // times the goal, so that the next block seldom falls short of it (Google Benchmark's)
constexpr std::int64_t kMostGrowth = 10;
constexpr std::int64_t kVariedPart = 5;  // one in so many runs: 20 %

double measure_overhead(const TimeRuns& time) {
  std::array<double, 5> seconds{};
  for (double& each : seconds) each = time(0);
  std::nth_element(seconds.begin(), seconds.begin() + 2, seconds.end());
  return seconds[2];
}

class Search {
 public:
  explicit Search(const TimeRuns& time) : time_(time) { found_.overhead_seconds = measure_overhead(time); }

  double try_runs(std::int64_t runs) {
    const double seconds = time_(runs);
    found_.tried_runs.push_back(runs);
    found_.tried_seconds.push_back(seconds);
    found_.runs = runs;
    found_.block_seconds = seconds;
    return seconds;
  }
  double overhead() const { return found_.overhead_seconds; }
  BlockCalibration result() && { return std::move(found_); }

 private:
  const TimeRuns& time_;
  BlockCalibration found_;
};

std::int64_t grown(std::int64_t runs, double seconds, double goal) {
  const double wanted = std::ceil(static_cast<double>(runs) * kAim * goal / seconds);
  const auto most = static_cast<double>(std::min(kMostRuns, runs * kMostGrowth));
  return static_cast<std::int64_t>(std::clamp(wanted, static_cast<double>(runs + 1), most));
}

}  // namespace

BlockCalibration calibrate_as_reference(const TimeRuns& time, double min_run_seconds) {
  Search search(time);
  for (std::int64_t runs = 1;; runs *= 10) {
    const double seconds = search.try_runs(runs);
    if (search.overhead() / seconds <= kMostOverhead && seconds >= min_run_seconds / kBlocksPerRunTime) break;
    if (seconds > min_run_seconds || runs * 10 > kMostRuns) break;
  }
  return std::move(search).result();
}

BlockCalibration calibrate(const TimeRuns& time, double min_run_seconds) {
  Search search(time);
  // A clock that is dear to read does not make one block longer than the whole measurement was to be.
  const double goal =
      std::min(std::max(search.overhead() / kMostOverhead, min_run_seconds / kBlocksPerRunTime), min_run_seconds);
  for (std::int64_t runs = 1;;) {
    double seconds = search.try_runs(runs);
    // The lesser of two: what a disturbance adds is no reason to stop.
    if (seconds >= goal) seconds = std::min(seconds, search.try_runs(runs));
    if (seconds >= goal || runs >= kMostRuns) break;
    runs = grown(runs, seconds, goal);
  }
  return std::move(search).result();
}

std::int64_t vary_runs(std::int64_t runs, NumpyRandom& random) {
  return runs + static_cast<std::int64_t>(random.interval(static_cast<std::uint64_t>(runs / kVariedPart)));
}

}  // namespace steelyard
