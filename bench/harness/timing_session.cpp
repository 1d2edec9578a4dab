#include "bench/harness/timing_session.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "bench/harness/median_interval.hpp"
#include "bench/model/task_measurement.hpp"

namespace steelyard {
namespace {

constexpr double kMaxOverhead = 1e-4;       // of a block's time
constexpr double kBlocksPerRunTime = 1000;  // a block is at least this part of min_run_time
constexpr std::int64_t kMaxRuns = 2147483647;
constexpr double kAim = 1.4;  // times the goal, so that the next block seldom falls short of it (Google Benchmark's)
constexpr std::int64_t kMaxGrowth = 10;
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
  const auto most = static_cast<double>(std::min(kMaxRuns, runs * kMaxGrowth));
  return static_cast<std::int64_t>(std::clamp(wanted, static_cast<double>(runs + 1), most));
}

}  // namespace

BlockCalibration calibrate_as_reference(const TimeRuns& time, double min_run_seconds) {
  Search search(time);
  for (std::int64_t runs = 1;; runs *= 10) {
    const double seconds = search.try_runs(runs);
    if (search.overhead() / seconds <= kMaxOverhead && seconds >= min_run_seconds / kBlocksPerRunTime) break;
    if (seconds > min_run_seconds || runs * 10 > kMaxRuns) break;
  }
  return std::move(search).result();
}

BlockCalibration calibrate(const TimeRuns& time, double min_run_seconds) {
  Search search(time);
  // A clock that is dear to read does not make one block longer than the whole measurement was to be.
  const double goal =
      std::min(std::max(search.overhead() / kMaxOverhead, min_run_seconds / kBlocksPerRunTime), min_run_seconds);
  for (std::int64_t runs = 1;;) {
    double seconds = search.try_runs(runs);
    // The lesser of two: what a disturbance adds is no reason to stop.
    if (seconds >= goal) seconds = std::min(seconds, search.try_runs(runs));
    if (seconds >= goal || runs >= kMaxRuns) break;
    runs = grown(runs, seconds, goal);
  }
  return std::move(search).result();
}

std::int64_t vary_runs(std::int64_t runs, NumpyRandom& random) {
  return runs + static_cast<std::int64_t>(random.interval(static_cast<std::uint64_t>(runs / kVariedPart)));
}

namespace {

constexpr double kMild = 1.5;
constexpr double kSevere = 3;
constexpr std::size_t kFewestForFences = 4;

}  // namespace

BlockOutliers count_outliers(const std::vector<double>& ascending, const std::vector<double>& times) {
  BlockOutliers outliers{0, 0, times.size()};
  if (ascending.size() < kFewestForFences) return outliers;
  TaskMeasurement spread;
  spread.raw_times = ascending;
  const double low = *spread.p25();
  const double high = *spread.p75();
  for (const double time : times) {
    const double beyond = std::max(low - time, time - high);
    if (beyond > kSevere * (high - low)) {
      ++outliers.severe;
    } else if (beyond > kMild * (high - low)) {
      ++outliers.mild;
    }
  }
  return outliers;
}

std::string to_text(const BlockOutliers& outliers) {
  std::string text;
  if (outliers.mild > 0) text += std::to_string(outliers.mild) + " mild";
  if (outliers.severe > 0) text += (text.empty() ? "" : ", ") + std::to_string(outliers.severe) + " severe";
  return (text.empty() ? "none" : text) + " of " + std::to_string(outliers.of);
}

namespace {

// Of a pilot whose neighbours are so alike that it carries no interval: times its blocks.
constexpr double kBlindGrowth = 10;

std::optional<MedianBounds> bounds_of(std::span<const double> times) {
  return times.empty() ? std::nullopt : median_interval(times).bounds;
}

}  // namespace

bool halves_agree(std::span<const double> times) {
  const std::size_t middle = times.size() / 2;
  const auto first = bounds_of(times.first(middle));
  const auto second = bounds_of(times.subspan(middle));
  return !first || !second || (first->low <= second->high && second->low <= first->high);
}

std::optional<double> relative_precision(std::span<const double> times) {
  if (times.empty()) return std::nullopt;
  const MedianInterval interval = median_interval(times);
  if (!interval.bounds || !(interval.median > 0)) return std::nullopt;
  return (interval.bounds->high - interval.bounds->low) / 2 / interval.median;
}

std::size_t plan_blocks(std::span<const double> pilot, double precision, std::size_t least, std::size_t most) {
  const auto reached = relative_precision(pilot);
  const double growth = reached ? std::pow(*reached / precision, 2) : kBlindGrowth;
  const double wanted = std::ceil(static_cast<double>(pilot.size()) * growth);
  const std::size_t floor = std::min(std::max(least, kFewestBlocks), most);
  return static_cast<std::size_t>(std::clamp(wanted, static_cast<double>(floor), static_cast<double>(most)));
}

namespace {

constexpr double kMinSeconds = 1e-9;  // of a block, as the reference has it: nothing takes no time

}  // namespace

TimingSession::TimingSession(const TimedLoop& loop, const TimerOptions& options)
    : loop_(loop), options_(options), random_(options.seed) {
  measurement_.task = options.task;
  measurement_.fingerprint = options.fingerprint;
  measurement_.metadata["clock"] = options.clock->name();
  measurement_.metadata["rule"] = is_reference() ? "reference" : "steelyard";
}

double TimingSession::seconds_of(std::int64_t runs) {
  if (options_.setup) options_.setup();
  double elapsed = 0;
  try {
    if (options_.warm_up_blocks && runs > 0) loop_(1);
    elapsed = options_.clock->seconds_of(runs, loop_);
  } catch (...) {
    try {
      if (options_.teardown) options_.teardown();
    } catch (...) {  // the first error is the one to tell
    }
    throw;
  }
  if (options_.teardown) options_.teardown();
  if (!std::isfinite(elapsed)) {
    throw std::runtime_error("the clock \"" + options_.clock->name() + "\" gave a time that is not finite");
  }
  return std::max(elapsed, kMinSeconds);
}

void TimingSession::calibrate_for(double min_run_seconds) {
  const TimeRuns time = [this](std::int64_t runs) { return seconds_of(runs); };
  calibration_ = is_reference() ? calibrate_as_reference(time, min_run_seconds) : calibrate(time, min_run_seconds);
  measurement_.runs_per_time = calibration_.runs;
}

void TimingSession::take_block(const BlockCallback& callback) {
  const std::int64_t runs = is_reference() ? calibration_.runs : vary_runs(calibration_.runs, random_);
  const double elapsed = seconds_of(runs);
  keep(runs, elapsed);
  if (callback) callback(runs, elapsed);
}

void TimingSession::take_runs(std::int64_t runs) {
  measurement_.runs_per_time = runs;
  keep(runs, seconds_of(runs));
}

void TimingSession::keep(std::int64_t runs, double elapsed) {
  measurement_.raw_times.push_back(elapsed);
  measurement_.runs_of_times.push_back(runs);
  spent_seconds_ += elapsed;
  ++blocks_taken_;
}

void TimingSession::drop_oldest(std::size_t count) {
  const auto n = static_cast<std::ptrdiff_t>(count);
  measurement_.raw_times.erase(measurement_.raw_times.begin(), measurement_.raw_times.begin() + n);
  measurement_.runs_of_times.erase(measurement_.runs_of_times.begin(), measurement_.runs_of_times.begin() + n);
}

// Per run; of the calibration's blocks those that were at least half as long as the ones kept.
std::vector<double> TimingSession::calibration_times() const {
  std::vector<double> times;
  for (std::size_t i = 0; i < calibration_.tried_runs.size(); ++i) {
    const std::int64_t runs = calibration_.tried_runs[i];
    if (runs * 2 >= calibration_.runs) times.push_back(calibration_.tried_seconds[i] / static_cast<double>(runs));
  }
  return times;
}

TaskMeasurement TimingSession::finish(std::string stopped_by) {
  auto& metadata = measurement_.metadata;
  metadata["stopped_by"] = std::move(stopped_by);
  const std::vector<double> times = measurement_.times();
  metadata["outliers"] = to_text(count_outliers(times, times));
  if (!calibration_.tried_runs.empty()) {
    metadata["calibration_outliers"] = to_text(count_outliers(times, calibration_times()));
    if (!is_reference()) metadata["seed"] = std::to_string(options_.seed);
  }
  // Where all blocks had the same runs, one number says it.
  auto& runs = measurement_.runs_of_times;
  if (std::all_of(runs.begin(), runs.end(), [this](auto n) { return n == measurement_.runs_per_time; })) runs.clear();
  return std::move(measurement_);
}

}  // namespace steelyard
