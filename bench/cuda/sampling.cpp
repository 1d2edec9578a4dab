#include "bench/cuda/sampling.hpp"

#include <algorithm>
#include <cmath>

namespace steelyard::cuda {
namespace {

// Below this many samples a standard deviation says too little to be kept as a value of the noise.
constexpr std::int64_t kFirstNoise = 5;
// Of iterations that replay a graph. Published figures of decoding are means of five generations.
constexpr std::int64_t kMinReplayed = 5;
constexpr Nanoseconds kLongestReplaying = seconds(10);

}  // namespace

std::string_view to_text(StopReason reason) {
  switch (reason) {
    case StopReason::precise:
      return "the relative standard deviation is below the limit";
    case StopReason::settled:
      return "the noise has settled";
    case StopReason::samples:
      return "as many samples as are kept";
    case StopReason::time:
      return "the time was up";
  }
  return "";
}

StoppingLimits limits_of_replays(StoppingLimits limits, Nanoseconds one) {
  // More than any row takes were asked for.
  const bool are_asked_for = limits.min_samples > StoppingLimits().min_samples;
  if (!are_asked_for) limits.min_samples = std::min(kMinReplayed, limits.max_samples);
  limits.min_timed_samples = limits.min_samples;
  const auto fits = [&](std::int64_t samples) { return one * static_cast<double>(samples) <= kLongestReplaying; };
  while (limits.min_timed_samples > 1 && !fits(limits.min_timed_samples)) --limits.min_timed_samples;
  limits.max_time = std::min(limits.max_time, kLongestReplaying - one);
  return limits;
}

void StoppingRule::add(Nanoseconds sample) {
  ++n_;
  const double delta = sample.count() - mean_;
  mean_ += delta / static_cast<double>(n_);
  squares_ += delta * (sample.count() - mean_);
  if (n_ < kFirstNoise) return;
  const double noise = *relative_deviation();
  if (noise_.size() < limits_.ring) {
    noise_.push_back(noise);
  } else {
    noise_[oldest_] = noise;
    oldest_ = (oldest_ + 1) % limits_.ring;
  }
}

std::optional<double> StoppingRule::relative_deviation() const {
  if (n_ < 2 || !(mean_ > 0)) return std::nullopt;
  return std::sqrt(squares_ / static_cast<double>(n_ - 1)) / mean_;
}

bool StoppingRule::is_settled() const {
  if (noise_.size() < limits_.settled_from || n_ % limits_.settled_every != 0) return false;
  double mean = 0;
  for (const double noise : noise_) mean += noise;
  const auto n = static_cast<double>(noise_.size());
  mean /= n;
  double squares = 0;
  for (const double noise : noise_) squares += (noise - mean) * (noise - mean);
  return std::sqrt(squares / (n - 1)) < limits_.settled_deviation * mean;
}

std::optional<StopReason> StoppingRule::reached(Nanoseconds elapsed) const {
  if (n_ >= limits_.min_samples) {
    const auto deviation = relative_deviation();
    if (elapsed >= limits_.min_time && deviation && *deviation < limits_.precise_deviation) {
      return StopReason::precise;
    }
    if (is_settled()) return StopReason::settled;
    if (n_ >= limits_.max_samples) return StopReason::samples;
  }
  if (n_ >= limits_.min_timed_samples && elapsed >= limits_.max_time) return StopReason::time;
  return std::nullopt;
}

std::optional<Nanoseconds> ThrottleWatch::judge(double sm_clock_hz, std::optional<bool> protects_itself) {
  const bool is_kept_low = is_low(sm_clock_hz) && protects_itself == false;
  kept_low_ += is_kept_low ? 1 : 0;
  if (!is_low(sm_clock_hz) || is_kept_low) {
    in_a_row_ = 0;
    pause_ = rule_.first_pause;
    return std::nullopt;
  }
  if (given_in_) return std::nullopt;
  if (in_a_row_ == rule_.max_in_a_row) {
    given_in_ = true;
    return std::nullopt;
  }
  ++in_a_row_;
  ++discarded_;
  const Nanoseconds pause = pause_;
  pause_ = std::min(pause_ * rule_.pause_growth, rule_.longest_pause);
  return pause;
}

namespace {

void warm_up(SampleSource& source, const SamplingLimits& limits, Samples& samples) {
  const Nanoseconds begin = source.now();
  ClockSteadiness steadiness;
  do {
    steadiness.add(source.warm(limits.warm_stretch));
    samples.warm_up = source.now() - begin;
  } while (samples.warm_up < limits.least_warm_up ||
           (!steadiness.is_steady() && samples.warm_up < limits.longest_warm_up));
  samples.is_steady = steadiness.is_steady();
}

// A second of work is too long to be thrown away: a clock that is low over it is kept, and said.
ClockRule clock_rule_of(const SampleSource& source, const SamplingLimits& limits) {
  ClockRule rule = limits.clock;
  if (source.is_replayed()) rule.max_in_a_row = 0;
  return rule;
}

StoppingLimits stopping_limits_of(const SampleSource& source, const SamplingLimits& limits, Nanoseconds first) {
  return source.is_replayed() ? limits_of_replays(limits.stopping, first) : limits.stopping;
}

void take_cold(SampleSource& source, const SamplingLimits& limits, Samples& samples) {
  std::optional<StoppingRule> rule;
  ThrottleWatch watch(clock_rule_of(source, limits));
  const Nanoseconds begin = source.now();
  std::optional<StopReason> stopped;
  for (std::int64_t launch = 0; !stopped; ++launch) {
    const ColdSample sample = source.take_cold(static_cast<int>(launch % source.input_sets()));
    if (!rule) rule.emplace(stopping_limits_of(source, limits, source.now() - begin));
    const auto protects = watch.is_low(sample.sm_clock_hz) ? source.protects_itself() : std::nullopt;
    if (const auto pause = watch.judge(sample.sm_clock_hz, protects)) {
      source.pause(*pause);
    } else {
      samples.cold.push_back(sample);
      rule->add(sample.time);
    }
    stopped = rule->reached(source.now() - begin);
  }
  samples.stopped = *stopped;
  samples.discarded = watch.discarded();
  samples.kept_low = watch.kept_low();
  samples.throttled_for_good = watch.has_given_in();
}

void take_hot(SampleSource& source, const SamplingLimits& limits, Samples& samples) {
  const std::int64_t launches = launches_of_batch(median_cold(samples), limits);
  source.prepare_hot(launches);
  const Nanoseconds begin = source.now();
  Nanoseconds work;
  for (std::int64_t batch = 0; batch < limits.max_batches; ++batch) {
    const bool is_enough = batch >= limits.min_batches && work >= limits.stopping.min_time;
    if (is_enough || (batch > 0 && source.now() - begin >= limits.stopping.max_time)) return;
    const Nanoseconds time = source.take_hot();
    work += time;
    samples.hot.push_back(time * (1 / static_cast<double>(launches)));
  }
}

}  // namespace

Nanoseconds median_cold(const Samples& samples) {
  std::vector<Nanoseconds> times;
  for (const ColdSample& sample : samples.cold) times.push_back(sample.time);
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

std::int64_t launches_of_batch(Nanoseconds one, const SamplingLimits& limits) {
  if (!(one.count() > 0)) return limits.max_batch_launches;
  const double launches = limits.batch / one;
  if (launches >= static_cast<double>(limits.max_batch_launches)) return limits.max_batch_launches;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(launches));
}

Samples take_samples(SampleSource& source, const SamplingLimits& limits) {
  Samples samples;
  warm_up(source, limits, samples);
  take_cold(source, limits, samples);
  if (!source.is_replayed()) take_hot(source, limits, samples);
  return samples;
}

}  // namespace steelyard::cuda
