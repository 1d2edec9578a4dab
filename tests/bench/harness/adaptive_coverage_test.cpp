// Adaptive stopping must not make the figures better than they are: seeded simulation, held to what chance allows.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/studies/adaptive_study.hpp"

namespace steelyard::adaptive_coverage_test {
namespace {

// Four standard deviations of a binomial of that size below .95: one in 30000, were the coverage .95.
double min_coverage(int n) { return 0.95 - 4 * std::sqrt(0.95 * 0.05 / n); }

AdaptiveStudy studied(TimerRule rule, BlockNoise noise, double spread) {
  return study_adaptive({.rule = rule, .noise = noise, .spread = spread, .measurements = 600, .seed = 77});
}

TEST(AdaptiveCoverage, OursCoversTheMedianAndReportsTheSpreadThatIsThere) {
  for (const BlockNoise noise : {BlockNoise::normal, BlockNoise::lognormal}) {
    for (const double spread : {0.05, 0.2}) {
      SCOPED_TRACE(spread);
      const AdaptiveStudy study = studied(TimerRule::steelyard, noise, spread);
      ASSERT_EQ(study.measurements, 600);
      EXPECT_GT(study.given, 540) << "independent times nearly always carry an interval";
      EXPECT_GT(static_cast<double>(study.covered) / study.given, min_coverage(study.given));
      EXPECT_GT(study.mean_reported, 0.9 * study.true_spread);
    }
  }
}

// The contrast: the same study sees the optimism of stopping when the times happen to agree.
TEST(AdaptiveCoverage, ReferenceReportsLessSpreadThanThereIs) {
  const AdaptiveStudy study = studied(TimerRule::reference, BlockNoise::normal, 0.1);
  EXPECT_LT(study.mean_reported, 0.7 * study.true_spread);
  EXPECT_GT(study.below_threshold, 450) << "of 600 claim less than a tenth";
  EXPECT_GT(study.true_spread, 0.1);
}

}  // namespace
}  // namespace steelyard::adaptive_coverage_test
