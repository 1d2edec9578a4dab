#include "bench/harness/timing_session.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>

#include "bench/harness/block_outliers.hpp"

namespace steelyard {
namespace {

constexpr double kLeastSeconds = 1e-9;  // of a block, as the reference has it: nothing takes no time

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
  return std::max(elapsed, kLeastSeconds);
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
