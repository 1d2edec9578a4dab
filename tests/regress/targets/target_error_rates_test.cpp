// The verdicts of targets, tested as alarms: each wrong one within its 2.5 %.
#include <gtest/gtest.h>

#include "tests/regress/targets/target_simulation.hpp"

namespace steelyard::regress::target_error_rates_test {
namespace {

// Five standard errors above 2.5 % of 4000 trials: an honest rate passes it once in millions.
constexpr double kBound = 0.025 + 5 * 0.00247;

void expect_rare(const TargetSimulation& simulation) {
  const TargetErrorRates wrong = simulate_targets(simulation);
  EXPECT_LE(wrong.met, kBound) << simulation.invocations << " invocations, ceiling " << simulation.ceiling_error;
  EXPECT_LE(wrong.missed, kBound) << simulation.invocations << " invocations, ceiling " << simulation.ceiling_error;
}

TEST(TargetErrors, FromSixInvocationsOnAreRareWhateverTheNoise) {
  std::uint64_t seed = 1;
  for (const RateNoise noise : {RateNoise::normal, RateNoise::skewed, RateNoise::bimodal}) {
    for (const int invocations : {6, 9, 15, 30}) {
      for (const double ceiling_error : {0.0, 0.01}) expect_rare({noise, invocations, ceiling_error, 4000, ++seed});
    }
  }
}

TEST(TargetErrors, BelowSixInvocationsNormalNoiseIsHeldToo) {
  std::uint64_t seed = 100;
  for (const int invocations : {2, 3, 4, 5}) {
    for (const double ceiling_error : {0.0, 0.01}) {
      expect_rare({RateNoise::normal, invocations, ceiling_error, 4000, ++seed});
    }
  }
}

// Otherwise a judge that never decides would pass the two above.
TEST(TargetErrors, AreMadeAboutAsOftenAsTheyMayBe) {
  const TargetErrorRates wrong = simulate_targets({RateNoise::normal, 30, 0, 4000, 200});
  EXPECT_GE(wrong.met + wrong.missed, 0.02);
}

}  // namespace
}  // namespace steelyard::regress::target_error_rates_test
