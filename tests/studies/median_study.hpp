// How often the interval of the median covers the true median of noise that is known: seeded simulation, for
// tests/studies/median_coverage and for the tests. Same seed, same figures on every machine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "bench/harness/numpy_random.hpp"

namespace steelyard {

enum class SimulatedNoise {
  normal,
  skewed,             // lognormal, sigma 0.5
  bimodal,            // 7 of 10 in the lower mode, the modes 10 deviations apart
  evenly_bimodal,     // half in each: every value in the gap between them is a median
  autocorrelated_05,  // AR(1), 0.5
  autocorrelated_09,  // AR(1), 0.9
  hidden_drift        // a slow AR(1) of 0.95 with a fifth of the variance, under white noise: no AR(1) fits it
};
inline constexpr std::array kNoises{SimulatedNoise::normal,
                                    SimulatedNoise::skewed,
                                    SimulatedNoise::bimodal,
                                    SimulatedNoise::evenly_bimodal,
                                    SimulatedNoise::autocorrelated_05,
                                    SimulatedNoise::autocorrelated_09,
                                    SimulatedNoise::hidden_drift};
std::string_view to_text(SimulatedNoise noise);
// n times in the order they are taken; about 100, with deviation 2 (skewed: 100 times a lognormal).
std::vector<double> simulated_times(SimulatedNoise noise, std::size_t n, NumpyRandom& random);
double true_median(SimulatedNoise noise);

// Of `repeats` simulated measurements of n times each.
struct MedianCoverage {
  int repeats = 0;
  int given = 0;            // with an interval
  int covered = 0;          // ... that holds the true median
  int claimed = 0;          // with an interval that assumes nothing unchecked
  int claimed_covered = 0;  // ... that holds the true median
  double mean_width = 0;    // of the intervals given, over the true median; 0 where none is
};
MedianCoverage median_coverage(SimulatedNoise noise, std::size_t n, int repeats, std::uint32_t seed);

}  // namespace steelyard
