// One benchmark's samples on a device: warm-up until the clock is steady, cold samples until a rule stops them, hot
// samples in batches. What the device does is behind SampleSource, so that the decisions are tested without one.
//
//     DeviceTimer timer(workload, device);                 // a SampleSource
//     Samples samples = take_samples(timer, limits);
//
// cold: the second-level cache holds other data before every launch; one launch a sample.
// hot: launches back to back from a graph, so that neither the host nor an empty cache is in the time.
//
// An iteration that replays a graph many times is launches back to back by itself: it has cold samples alone, and since
// it may take a second, few of them (limits_of_replays).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/quantity.hpp"

namespace steelyard::cuda {

// When enough samples of a noisy time have been taken, and which rule said so. Pure: times in, an answer out.
//
//     StoppingRule rule({});
//     while (!rule.reached(elapsed)) rule.add(take_sample());
//     report(to_text(*rule.reached(elapsed)));
//
// The rules, in the order of their judgement (as NVIDIA's nvbench has them, its "stdrel" criterion):
//   precise   the samples' relative standard deviation is below 0.5 %, after 0.5 s and 10 samples;
//   settled   more samples would not make it more precise: the relative standard deviation itself, over the last 512
//             samples, deviates by less than 5 % of its mean; asked from 64 of its values on, at every 16th sample;
//   samples   as many as are kept;
//   time      the time is up.

enum class StopReason { precise, settled, samples, time };
// "relative standard deviation below the limit", ...
std::string_view to_text(StopReason reason);

struct StoppingLimits {
  double precise_deviation = 0.005;
  Nanoseconds min_time = seconds(0.5);  // of sampling, by the host's clock, before a measurement is called precise
  std::int64_t min_samples = 10;        // whatever the rules; only the time bound may end below it
  std::int64_t min_timed_samples = 2;   // that the time bound leaves: one sample has no spread at all
  std::int64_t max_samples = 1000;
  Nanoseconds max_time = seconds(15);
  double settled_deviation = 0.05;  // of the noise, as a share of its mean
  std::size_t ring = 512;
  std::size_t settled_from = 64;
  std::int64_t settled_every = 16;
};

// The limits where one iteration replays a graph and takes `one`, by the host's clock: 5 samples at least, or as many
// as were asked for beyond the usual 10, though the time were up before them; and none is begun that would end after 10
// s: with what else is done of it a row has 20 s (on_device.sh). One sample there is, however long it takes.
StoppingLimits limits_of_replays(StoppingLimits limits, Nanoseconds one);

class StoppingRule {
 public:
  explicit StoppingRule(const StoppingLimits& limits) : limits_(limits) {}

  // Precondition: above 0.
  void add(Nanoseconds sample);
  // `elapsed`: since sampling began.
  std::optional<StopReason> reached(Nanoseconds elapsed) const;

  std::int64_t samples() const { return n_; }
  // Standard deviation (n - 1) over mean; absent below 2 samples.
  std::optional<double> relative_deviation() const;

 private:
  bool is_settled() const;

  StoppingLimits limits_;
  std::int64_t n_ = 0;
  double mean_ = 0;
  double squares_ = 0;         // sum of squared deviations from the mean, by running update
  std::vector<double> noise_;  // ring of the last relative deviations
  std::size_t oldest_ = 0;     // where the next one goes once the ring is full
};

// Judges samples by the clock that the device's multiprocessors ran at: below three quarters of the default clock the
// device is held back, and where heat or the hardware's own protection does it the sample tells of that and not of the
// kernel. Such a sample is discarded, and the device is left alone for a growing while. Within its power cap a device
// runs large products at such clocks for good: those samples are kept, and counted. What rests and runs again at a high
// clock for one sample would be measured in bursts that nobody's program has. Pure: clocks in, pauses out.
//
//     ThrottleWatch watch({.default_hz = 1.98e9});
//     if (auto pause = watch.judge(sample.sm_clock_hz, protects_itself)) { sleep(*pause); continue; }   // not kept

struct ClockRule {
  double default_hz = 0;  // 0: unknown, and nothing is discarded
  double min_share = 0.75;
  Nanoseconds first_pause = milliseconds(50);
  double pause_growth = 1.5;
  Nanoseconds longest_pause = milliseconds(500);
  // A device may be held back for good: after so many in a row its samples are kept, and the row says so.
  std::int64_t max_in_a_row = 8;
};

class ThrottleWatch {
 public:
  explicit ThrottleWatch(const ClockRule& rule) : rule_(rule), pause_(rule.first_pause) {}

  // A clock of 0 is unknown, and not low.
  bool is_low(double sm_clock_hz) const { return sm_clock_hz > 0 && sm_clock_hz < rule_.min_share * rule_.default_hz; }
  // How long to wait, where the sample of this clock is to be discarded; nothing where it is kept. `protects_itself`:
  // whether the device says that heat or a fault holds its clock back; absent where nobody tells, and then it may.
  std::optional<Nanoseconds> judge(double sm_clock_hz, std::optional<bool> protects_itself);

  std::int64_t discarded() const { return discarded_; }
  // Low ones that were kept, as the device did not protect itself.
  std::int64_t kept_low() const { return kept_low_; }
  // From here on samples are kept though the clock is low.
  bool has_given_in() const { return given_in_; }

 private:
  ClockRule rule_;
  Nanoseconds pause_;
  std::int64_t discarded_ = 0;
  std::int64_t kept_low_ = 0;
  std::int64_t in_a_row_ = 0;
  bool given_in_ = false;
};

// Says when a device has warmed up: the clock of its last stretches of work has stopped moving. Pure.

class ClockSteadiness {
 public:
  // The clocks of three stretches one after another lie within 1 % of the highest.
  static constexpr double kWithin = 0.01;
  static constexpr std::size_t kStretches = 3;

  // After a stretch of work; a clock of 0 is unknown, and as many stretches then have to do.
  void add(double sm_clock_hz) { last_[static_cast<std::size_t>(n_++) % kStretches] = sm_clock_hz; }
  bool is_steady() const {
    if (n_ < static_cast<std::int64_t>(kStretches)) return false;
    double low = last_[0];
    double high = last_[0];
    for (const double clock : last_) {
      low = clock < low ? clock : low;
      high = clock > high ? clock : high;
    }
    return high - low <= kWithin * high;
  }

 private:
  std::array<double, kStretches> last_{};
  std::int64_t n_ = 0;
};

struct ColdSample {
  Nanoseconds time;        // of one iteration, on the device
  double sm_clock_hz = 0;  // over it, from two timers of the device; 0: unknown
  bool operator==(const ColdSample&) const = default;
};

// May throw CudaError; take_samples lets it through.
class SampleSource {
 public:
  virtual ~SampleSource() = default;
  // How many sets of inputs there are to take in turn.
  virtual int input_sets() const = 0;
  // Whether an iteration replays a graph: no batch is asked for.
  virtual bool is_replayed() const { return false; }
  virtual ColdSample take_cold(int input_set) = 0;
  // Whether the device says that heat or a fault holds its clock back; absent: nobody tells.
  virtual std::optional<bool> protects_itself() = 0;
  // Launches for about `work` of the device's time; the clock it ran at (0: unknown).
  virtual double warm(Nanoseconds work) = 0;
  // Prepares batches of `launches`, the input sets in turn.
  virtual void prepare_hot(std::int64_t launches) = 0;
  // One batch: the device's time for all its launches.
  virtual Nanoseconds take_hot() = 0;
  // Of the host, monotonic.
  virtual Nanoseconds now() = 0;
  virtual void pause(Nanoseconds duration) = 0;
};

struct SamplingLimits {
  StoppingLimits stopping;
  ClockRule clock;
  Nanoseconds warm_stretch = milliseconds(10);
  // Of the work itself, though the clock is steady before: a power limit takes its time to hold a clock back.
  Nanoseconds least_warm_up = seconds(0.5);
  Nanoseconds longest_warm_up = seconds(2);
  Nanoseconds batch = milliseconds(20);  // of hot launches
  std::int64_t max_batch_launches = 1000;
  std::int64_t min_batches = 3;
  std::int64_t max_batches = 25;
};

struct Samples {
  std::vector<ColdSample> cold;
  std::vector<Nanoseconds> hot;  // of one launch each, one value a batch
  Nanoseconds warm_up;
  bool is_steady = false;  // the clock was, when warming up ended
  StopReason stopped = StopReason::time;
  std::int64_t discarded = 0;
  std::int64_t kept_low = 0;        // clocks within the power cap
  bool throttled_for_good = false;  // low clocks were kept in the end
};

// Precondition: there are some.
Nanoseconds median_cold(const Samples& samples);

Samples take_samples(SampleSource& source, const SamplingLimits& limits);

// How many launches make a batch, by the time of one. At least 1.
std::int64_t launches_of_batch(Nanoseconds one, const SamplingLimits& limits);

}  // namespace steelyard::cuda
