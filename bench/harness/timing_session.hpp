// One call of a Timer while it lasts: takes blocks, keeps their times, and closes with a TaskMeasurement. Internal to
// bench/harness. Throws what the statement, setup or teardown throws; the Timer turns that into an Error.
#pragma once

#include <string>
#include <vector>

#include "bench/harness/block_size.hpp"
#include "bench/harness/numpy_random.hpp"
#include "bench/harness/timer.hpp"

namespace steelyard {

class TimingSession {
 public:
  TimingSession(const TimedLoop& loop, const TimerOptions& options);

  bool is_reference() const { return options_.rule == TimerRule::reference; }
  TaskMeasurement& measurement() { return measurement_; }
  double spent_seconds() const { return spent_seconds_; }     // in blocks, dropped ones too
  std::size_t blocks_taken() const { return blocks_taken_; }  // dropped ones too

  // Setup, so many runs, teardown; seconds of the runs, at least 1e-9.
  double seconds_of(std::int64_t runs);
  void calibrate_for(double min_run_seconds);
  // A block of the calibrated size, varied unless the rule is the reference's. Its time is kept.
  void take_block(const BlockCallback& callback);
  // One raw time of exactly so many runs.
  void take_runs(std::int64_t runs);
  // Forgets the oldest `count` times; what they took stays spent.
  void drop_oldest(std::size_t count);

  TaskMeasurement finish(std::string stopped_by);

 private:
  void keep(std::int64_t runs, double elapsed);
  std::vector<double> calibration_times() const;

  const TimedLoop& loop_;
  const TimerOptions& options_;
  NumpyRandom random_;
  BlockCalibration calibration_;
  TaskMeasurement measurement_;
  double spent_seconds_ = 0;
  std::size_t blocks_taken_ = 0;
};

}  // namespace steelyard
