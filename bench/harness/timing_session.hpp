// One call of a Timer while it lasts: takes blocks, keeps their times, and closes with a TaskMeasurement. Internal to
// bench/harness. Throws what the statement, setup or teardown throws; the Timer turns that into an Error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/harness/numpy_random.hpp"
#include "bench/harness/timer.hpp"

namespace steelyard {

// How many runs one timed block has: enough that reading the clock does not count, few enough that there are many
// blocks. Two rules. The reference's grows by powers of ten, which falls in step with noise of a round period, and
// takes one slow time for a long statement. Ours aims at the time wanted, asks twice before it stops, and varies the
// runs of each block by seed (the idea is nanobench's).

// Seconds of so many runs; above 0.
using TimeRuns = std::function<double(std::int64_t runs)>;

struct BlockCalibration {
  std::int64_t runs = 1;        // of a block
  double overhead_seconds = 0;  // of a block without runs
  // All that was timed on the way, in order: not part of the measurement, which they would bias (the first are cold).
  std::vector<std::int64_t> tried_runs;
  std::vector<double> tried_seconds;
};

// PyTorch's blocked_autorange: ten times as many runs until the overhead is at most 1e-4 of a block and a block at
// least min_run_time / 1000, or one takes longer than min_run_time, or the next would not fit 32 bits.
BlockCalibration calibrate_as_reference(const TimeRuns& time, double min_run_seconds);

// The same goals by other steps: the runs grow by what the last time asks for, tenfold at most; two blocks in a row
// must reach the goal, so that one disturbance does not end the search early.
BlockCalibration calibrate(const TimeRuns& time, double min_run_seconds);

// runs, and 0 to 20 % more. Below 5 runs there is nothing to vary.
std::int64_t vary_runs(std::int64_t runs, NumpyRandom& random);

// How many times lie far from the rest, by Tukey's fences: mild beyond 1.5, severe beyond 3 interquartile ranges from
// the nearer quartile (Tukey, Exploratory Data Analysis, 1977; the classes are criterion's). They are counted and told,
// never removed.

struct BlockOutliers {
  std::size_t mild = 0;
  std::size_t severe = 0;
  std::size_t of = 0;
  bool operator==(const BlockOutliers&) const = default;
};

// Of `times` against the fences of `ascending`; ascending: at least 4 values, else nothing is an outlier.
BlockOutliers count_outliers(const std::vector<double>& ascending, const std::vector<double>& times);

// "none of 40", "2 mild, 1 severe of 40".
std::string to_text(const BlockOutliers& outliers);

// How many blocks an adaptive measurement takes. Stopping as soon as the times agree picks the moments at which they
// agree by chance: the spread is too small and intervals miss the truth (docs/guide/harness.md has the figures). So the
// decision and the data are kept apart, as Stein (A two-sample test for a linear hypothesis whose power is independent
// of the variance, 1945) did for the mean: a pilot of 20 blocks gives the spread, the plan the number of blocks, and
// the measurement is exactly so many *fresh* blocks. Whatever the pilot shows, their statistics are those of a number
// fixed beforehand. Pure: numbers in, numbers out.

inline constexpr std::size_t kPilotBlocks = 20;
inline constexpr std::size_t kFewestBlocks = 20;

// All times below are per run, in the order they were taken.

// Whether the median's 95 % intervals of the first and the second half touch: no drift that such a pilot could show.
// Halves that are too short for an interval are said to agree.
bool halves_agree(std::span<const double> times);

// Half the width of the median's 95 % interval over the median; absent where there is no interval
// (median_interval.hpp).
std::optional<double> relative_precision(std::span<const double> times);

// Blocks for that precision, if width shrinks with the root of their number; at least `least` and kFewestBlocks. A
// pilot without an interval asks for ten times its blocks. Precondition: precision above 0. `most` wins over all.
std::size_t plan_blocks(std::span<const double> pilot, double precision, std::size_t least, std::size_t most);

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
