// How often an unchanged occasion is called a change, and how often a changed one is found. Seeded, seconds here; the
// table of docs/method/against_history.md: prediction_error_rates 4000.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "regress/history/prediction.hpp"
#include "tests/regress/history/occasions.hpp"

namespace steelyard::regress::prediction_error_rates_test {
namespace {

TEST(PredictionErrorRates, StayBelowTheLevelForEveryNoiseAndLengthThatWasTried) {
  for (const OccasionNoise& noise : occasion_noises()) {
    for (const int occasions : {8, 20, 60}) {
      const OccasionRates rates = simulate_occasions(noise, occasions, 2000, 1.0);
      // 5 % of 2000 plus three standard deviations of a binomial count.
      EXPECT_LE(rates.at_5_percent, 0.05 + 0.015) << noise.name << ", " << occasions;
      EXPECT_LE(rates.at_1_percent, 0.025) << noise.name << ", " << occasions;
      EXPECT_GE(rates.coverage, 0.95 - 0.015) << noise.name << ", " << occasions;
    }
  }
}

TEST(PredictionErrorRates, FindMostChangesOfFiveStandardDeviations) {
  EXPECT_GE(simulate_occasions(occasion_noises().front(), 20, 500, 1.1).at_5_percent, 0.9);
}

// A rule that takes the occasions' spread for granted fails here: the samples inside an occasion say nothing of it.
TEST(PredictionErrorRates, WouldBeManyTimesTheLevelIfOccasionsWereThoughtEqual) {
  Occasions draw(occasion_noises().front(), 3);
  int alarms = 0;
  for (int i = 0; i < 500; ++i) {
    const std::vector<double> values = draw.series(21);
    // The standard error that ten samples inside of one occasion would show, a tenth of the spread between them.
    alarms += std::abs(std::log(values.back() / values.front())) > 1.96 * 0.1 * kOccasionSpread ? 1 : 0;
  }
  EXPECT_GT(alarms, 400);
}

}  // namespace
}  // namespace steelyard::regress::prediction_error_rates_test
