// Runs whose true utilization is their target: the worst case for a verdict, since `missed` is wrong there, and `met`
// is wrong for a truth just below. Seeded, with its own mapping from bits to values.
#pragma once

#include <cstdint>

namespace steelyard::regress {

enum class RateNoise {
  normal,   // 3 %, on the scale of logarithms
  skewed,   // disturbed now and then, never faster than undisturbed: an exponential delay of 5 %
  bimodal,  // two placements in memory 10 % apart, equally often
};

struct TargetSimulation {
  RateNoise noise = RateNoise::normal;
  int invocations = 6;
  double ceiling_error = 0;  // of the measured ceiling, on the scale of logarithms; its interval covers 95 %
  int trials = 4000;
  std::uint64_t seed = 1;
};

// Shares of the trials.
struct TargetErrorRates {
  double met = 0;
  double missed = 0;
};
TargetErrorRates simulate_targets(const TargetSimulation& simulation);

}  // namespace steelyard::regress
