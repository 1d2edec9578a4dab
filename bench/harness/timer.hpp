// Times a callable in one process: the counterpart of torch.utils.benchmark's Timer. What it yields is a
// TaskMeasurement; docs/guide/harness.md says how the numbers come about. Not for comparing two builds: `steelyard ab`
// does that, with processes as the unit.
//
//     Timer timer([&] { return dot(x, y); }, {.task = {.statement = "dot(x, y)", .label = "dot"}});
//     Result<TaskMeasurement> times = timer.blocked_autorange();
//     if (times) std::puts(times->text().c_str());
//
// Every function returns an Error where an option makes no sense (input) or where the statement, setup or teardown
// throws (program, with its text); the thread count is restored in any case.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/harness/timed_loop.hpp"
#include "bench/model/quantity.hpp"
#include "bench/model/result.hpp"
#include "bench/model/task_measurement.hpp"

namespace steelyard {

// How many threads the libraries under a statement may use: set for the length of a measurement, restored after it,
// also when the statement throws.
//
//     const ScopedThreadCount threads(loaded_thread_counts(), 4);

// One library's own count. Neither function may throw.
struct ThreadCount {
  std::string name;  // "OpenBLAS"
  std::function<int()> get;
  std::function<void(int)> set;
};

// OpenMP's and OpenBLAS's, where this process has them loaded: found by name at run time, so that nothing links to
// them. Not found: what is linked statically and exports no symbols; hand over a ThreadCount of your own.
std::vector<ThreadCount> loaded_thread_counts();

class ScopedThreadCount {
 public:
  // threads: at least 1.
  ScopedThreadCount(std::vector<ThreadCount> counts, int threads);
  ~ScopedThreadCount();
  ScopedThreadCount(const ScopedThreadCount&) = delete;
  ScopedThreadCount& operator=(const ScopedThreadCount&) = delete;

 private:
  std::vector<ThreadCount> counts_;
  std::vector<int> before_;
};

// What the timer reads: how long so many runs of a statement take. A parameter, so that a device brings its own (which
// waits for the device before it reads) and a test one without a machine behind it.

class RunClock {
 public:
  virtual ~RunClock() = default;
  // Seconds that loop(runs) takes. Calls it once; a simulated clock need not. Throws what the loop throws. A time that
  // is not finite is an Error of the timer, one below 1e-9 counts as that.
  virtual double seconds_of(std::int64_t runs, const TimedLoop& loop) = 0;
  virtual std::string name() const = 0;  // for a measurement's metadata
};

// The system's clock that never steps backwards (std::chrono::steady_clock), wall time.
class MonotonicClock : public RunClock {
 public:
  double seconds_of(std::int64_t runs, const TimedLoop& loop) override;
  std::string name() const override { return "monotonic"; }
};

// How blocks are sized and when adaptive_autorange stops. `reference` is PyTorch's rule to the last bit.
enum class TimerRule { steelyard, reference };

struct TimerOptions {
  // task.threads is set for the call (see thread_counts). The texts only name what is run; they are dedented().
  TaskSpec task = {};
  TimerRule rule = TimerRule::steelyard;
  std::uint32_t seed = 0;                // of the runs' variation from block to block; stored with the result
  std::shared_ptr<RunClock> clock = {};  // none: MonotonicClock
  // Before and after every block, not timed. A setup may thus restore what the statement uses up.
  std::function<void()> setup = {};
  std::function<void()> teardown = {};
  // One run that is not timed before each block, after setup: the reference does so for C++. Off by default, since it
  // doubles the time of a statement that fills a block alone; calibration has warmed up by then.
  bool warm_up_blocks = false;
  // Where none are named: loaded_thread_counts().
  std::optional<std::vector<ThreadCount>> thread_counts = {};
  std::string fingerprint = {};  // of the machine (Environment::fingerprint)
};

// Told of each block that is kept, outside the timed part.
using BlockCallback = std::function<void(std::int64_t runs, double seconds)>;

struct BlockedOptions {
  Nanoseconds min_run_time = seconds(0.2);  // above 0
  BlockCallback callback = {};
};

struct AdaptiveOptions {
  // Rule steelyard: half the width of the median's 95 % interval over the median; blocks are planned to reach it.
  double precision = 0.01;
  // Rule reference: stops once the interquartile range over the median is below.
  double threshold = 0.1;
  Nanoseconds min_run_time = seconds(0.01);  // above 0
  Nanoseconds max_run_time = seconds(10);    // at least min_run_time
  BlockCallback callback = {};
};

class Timer {
 public:
  template <std::invocable Statement>
  explicit Timer(Statement statement, TimerOptions options = {})
      : Timer(timed_loop(std::move(statement)), std::move(options)) {}
  Timer(TimedLoop loop, TimerOptions options);

  // One time of `number` runs, after a warm-up of a hundredth of them, at least 2.
  Result<TaskMeasurement> timeit(std::int64_t number = 1'000'000);
  // So many times of one run each, after `warmups` runs that are not kept.
  Result<TaskMeasurement> trials(int count, int warmups = 1);
  // Blocks of equal size (see timing_session.hpp), until their sum reaches min_run_time.
  Result<TaskMeasurement> blocked_autorange(const BlockedOptions& options = {});
  // As many blocks as the noise asks for. Rule steelyard: a pilot tells how many, and exactly so many fresh ones are
  // the measurement, so that the decision to stop does not favour a small spread (timing_session.hpp).
  Result<TaskMeasurement> adaptive_autorange(const AdaptiveOptions& options = {});

 private:
  TimedLoop loop_;
  TimerOptions options_;
};

}  // namespace steelyard
