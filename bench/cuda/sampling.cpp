#include "bench/cuda/sampling.hpp"

#include <algorithm>

#include "bench/cuda/clock_steadiness.hpp"

namespace steelyard::cuda {
namespace {

void warm_up(SampleSource& source, const SamplingLimits& limits, Samples& samples) {
  const Nanoseconds begin = source.now();
  ClockSteadiness steadiness;
  do {
    steadiness.add(source.warm(limits.warm_stretch));
    samples.warm_up = source.now() - begin;
  } while (!steadiness.is_steady() && samples.warm_up < limits.longest_warm_up);
  samples.is_steady = steadiness.is_steady();
}

void take_cold(SampleSource& source, const SamplingLimits& limits, Samples& samples) {
  StoppingRule rule(limits.stopping);
  ThrottleWatch watch(limits.clock);
  const Nanoseconds begin = source.now();
  std::optional<StopReason> stopped;
  for (std::int64_t launch = 0; !stopped; ++launch) {
    const ColdSample sample = source.take_cold(static_cast<int>(launch % source.input_sets()));
    if (const auto pause = watch.judge(sample.sm_clock_hz)) {
      source.pause(*pause);
    } else {
      samples.cold.push_back(sample);
      rule.add(sample.time);
    }
    stopped = rule.reached(source.now() - begin);
  }
  samples.stopped = *stopped;
  samples.discarded = watch.discarded();
  samples.throttled_for_good = watch.has_given_in();
}

Nanoseconds median_time(const std::vector<ColdSample>& samples) {
  std::vector<Nanoseconds> times;
  for (const ColdSample& sample : samples) times.push_back(sample.time);
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

void take_hot(SampleSource& source, const SamplingLimits& limits, Samples& samples) {
  const std::int64_t launches = launches_of_batch(median_time(samples.cold), limits);
  source.prepare_hot(launches);
  const Nanoseconds begin = source.now();
  Nanoseconds work;
  for (std::int64_t batch = 0; batch < limits.most_batches; ++batch) {
    const bool is_enough = batch >= limits.least_batches && work >= limits.stopping.least_time;
    if (is_enough || (batch > 0 && source.now() - begin >= limits.stopping.most_time)) return;
    const Nanoseconds time = source.take_hot();
    work += time;
    samples.hot.push_back(time * (1 / static_cast<double>(launches)));
  }
}

}  // namespace

std::int64_t launches_of_batch(Nanoseconds one, const SamplingLimits& limits) {
  if (!(one.count() > 0)) return limits.most_batch_launches;
  const double launches = limits.batch / one;
  if (launches >= static_cast<double>(limits.most_batch_launches)) return limits.most_batch_launches;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(launches));
}

Samples take_samples(SampleSource& source, const SamplingLimits& limits) {
  Samples samples;
  warm_up(source, limits, samples);
  take_cold(source, limits, samples);
  take_hot(source, limits, samples);
  return samples;
}

}  // namespace steelyard::cuda
