#include "bench/cuda/stopping_rule.hpp"

#include <cmath>

namespace steelyard::cuda {
namespace {

// Below this many samples a standard deviation says too little to be kept as a value of the noise.
constexpr std::int64_t kFirstNoise = 5;
// The least that the time bound leaves: one sample has no spread at all.
constexpr std::int64_t kLeastEver = 2;

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
  if (n_ >= limits_.least_samples) {
    const auto deviation = relative_deviation();
    if (elapsed >= limits_.least_time && deviation && *deviation < limits_.precise_deviation) {
      return StopReason::precise;
    }
    if (is_settled()) return StopReason::settled;
    if (n_ >= limits_.most_samples) return StopReason::samples;
  }
  if (n_ >= kLeastEver && elapsed >= limits_.most_time) return StopReason::time;
  return std::nullopt;
}

}  // namespace steelyard::cuda
