#include "tests/studies/median_study.hpp"

#include <cmath>

#include "bench/harness/median_interval.hpp"

namespace steelyard {
namespace {

constexpr double kLevel = 100;
constexpr double kDeviation = 2;
constexpr double kUpperMode = 120;
constexpr double kLowerShare = 0.7;
constexpr double kHiddenMemory = 0.95;
constexpr double kHiddenShare = 0.2;  // of the variance

// A stationary AR(1) with variance 1.
class Autoregression {
 public:
  Autoregression(double memory, NumpyRandom& random) : memory_(memory), random_(random), state_(random.normal(0, 1)) {}
  double next() {
    state_ = memory_ * state_ + std::sqrt(1 - memory_ * memory_) * random_.normal(0, 1);
    return state_;
  }

 private:
  double memory_;
  NumpyRandom& random_;
  double state_;
};

double memory_of(SimulatedNoise noise) {
  if (noise == SimulatedNoise::autocorrelated_05) return 0.5;
  if (noise == SimulatedNoise::autocorrelated_09) return 0.9;
  return noise == SimulatedNoise::hidden_drift ? kHiddenMemory : 0;
}

}  // namespace

std::string_view to_text(SimulatedNoise noise) {
  constexpr std::array<std::string_view, kNoises.size()> kTexts{
      "normal", "lognormal", "bimodal 70:30", "bimodal 50:50", "AR(1) 0.5", "AR(1) 0.9", "hidden drift"};
  return kTexts.at(static_cast<std::size_t>(noise));
}

std::vector<double> simulated_times(SimulatedNoise noise, std::size_t n, NumpyRandom& random) {
  Autoregression slow(memory_of(noise), random);
  std::vector<double> times(n);
  for (double& time : times) {
    // Drawn in this order on purpose: the order is part of the stream.
    const double slow_part = slow.next();
    const double chance = random.real();
    const double white = random.normal(0, 1);
    switch (noise) {
      case SimulatedNoise::normal:
        time = kLevel + kDeviation * white;
        break;
      case SimulatedNoise::skewed:
        time = kLevel * std::exp(0.5 * white);
        break;
      case SimulatedNoise::bimodal:
        time = (chance < kLowerShare ? kLevel : kUpperMode) + kDeviation * white;
        break;
      case SimulatedNoise::evenly_bimodal:
        time = (chance < 0.5 ? kLevel : kUpperMode) + kDeviation * white;
        break;
      case SimulatedNoise::autocorrelated_05:
      case SimulatedNoise::autocorrelated_09:
        time = kLevel + kDeviation * slow_part;
        break;
      case SimulatedNoise::hidden_drift:
        time = kLevel + kDeviation * (std::sqrt(kHiddenShare) * slow_part + std::sqrt(1 - kHiddenShare) * white);
        break;
    }
  }
  return times;
}

double true_median(SimulatedNoise noise) {
  if (noise == SimulatedNoise::evenly_bimodal) return 0.5 * (kLevel + kUpperMode);
  // Half of all lie below where 5/7 of the lower mode do: Phi(0.5659488) = 5/7; the upper mode adds less than 1e-20.
  return noise == SimulatedNoise::bimodal ? kLevel + 0.5659488219 * kDeviation : kLevel;
}

MedianCoverage median_coverage(SimulatedNoise noise, std::size_t n, int repeats, std::uint32_t seed) {
  NumpyRandom random(seed);
  MedianCoverage coverage;
  coverage.repeats = repeats;
  const double truth = true_median(noise);
  for (int i = 0; i < repeats; ++i) {
    const MedianInterval interval = median_interval(simulated_times(noise, n, random));
    if (!interval.bounds) continue;
    const bool covers = interval.bounds->low <= truth && truth <= interval.bounds->high;
    coverage.given += 1;
    coverage.covered += covers ? 1 : 0;
    coverage.claimed += interval.is_claimed() ? 1 : 0;
    coverage.claimed_covered += interval.is_claimed() && covers ? 1 : 0;
    coverage.mean_width += (interval.bounds->high - interval.bounds->low) / truth;
  }
  if (coverage.given > 0) coverage.mean_width /= coverage.given;
  return coverage;
}

}  // namespace steelyard
