// One benchmark's samples on a device: warm-up until the clock is steady, cold samples until a rule stops them, hot
// samples in batches. What the device does is behind SampleSource, so that the decisions are tested without one.
//
//     DeviceTimer timer(workload, device);                 // a SampleSource
//     Samples samples = take_samples(timer, limits);
//
// cold: the second-level cache holds other data before every launch; one launch a sample.
// hot: launches back to back from a graph, so that neither the host nor an empty cache is in the time.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bench/cuda/stopping_rule.hpp"
#include "bench/cuda/throttle_watch.hpp"
#include "bench/model/quantity.hpp"

namespace steelyard::cuda {

struct ColdSample {
  Nanoseconds time;        // of one launch, on the device
  double sm_clock_hz = 0;  // over it, from two timers of the device; 0: unknown
  bool operator==(const ColdSample&) const = default;
};

// May throw CudaError; take_samples lets it through.
class SampleSource {
 public:
  virtual ~SampleSource() = default;
  // How many sets of inputs there are to take in turn.
  virtual int input_sets() const = 0;
  virtual ColdSample take_cold(int input_set) = 0;
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
  Nanoseconds longest_warm_up = seconds(2);
  Nanoseconds batch = milliseconds(20);  // of hot launches
  std::int64_t most_batch_launches = 1000;
  std::int64_t least_batches = 3;
  std::int64_t most_batches = 25;
};

struct Samples {
  std::vector<ColdSample> cold;
  std::vector<Nanoseconds> hot;  // of one launch each, one value a batch
  Nanoseconds warm_up;
  bool is_steady = false;  // the clock was, when warming up ended
  StopReason stopped = StopReason::time;
  std::int64_t discarded = 0;
  bool throttled_for_good = false;  // low clocks were kept in the end
};

Samples take_samples(SampleSource& source, const SamplingLimits& limits);

// How many launches make a batch, by the time of one. At least 1.
std::int64_t launches_of_batch(Nanoseconds one, const SamplingLimits& limits);

}  // namespace steelyard::cuda
