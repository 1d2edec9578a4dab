#include "bench/cuda/stopping_rule.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <random>

namespace steelyard::cuda {
namespace {

const Nanoseconds kLong = seconds(1);

TEST(StoppingRule, StopsAsPreciseOnlyAfterItsLeastTimeAndSamples) {
  StoppingRule rule({});
  for (int i = 0; i < 9; ++i) rule.add(microseconds(100));
  EXPECT_EQ(rule.reached(kLong), std::nullopt);
  rule.add(microseconds(100));
  EXPECT_EQ(rule.reached(seconds(0.49)), std::nullopt);
  EXPECT_EQ(rule.reached(seconds(0.5)), StopReason::precise);
}

TEST(StoppingRule, DeviationIsOfTheSampleAndNotOfThePopulation) {
  StoppingRule rule({});
  EXPECT_EQ(rule.relative_deviation(), std::nullopt);
  rule.add(nanoseconds(1));
  EXPECT_EQ(rule.relative_deviation(), std::nullopt);
  rule.add(nanoseconds(2));
  rule.add(nanoseconds(3));
  EXPECT_DOUBLE_EQ(*rule.relative_deviation(), 0.5);  // sqrt(2 / (3 - 1)) / 2
}

TEST(StoppingRule, JustAboveTheLimitIsNotPrecise) {
  // Alternating a and b around 1: the deviation is d * sqrt(n / (n - 1)).
  const auto after_ten = [](double d) {
    StoppingRule rule({});
    for (int i = 0; i < 10; ++i) rule.add(nanoseconds(1 + (i % 2 == 0 ? d : -d)));
    return rule.reached(kLong);
  };
  const double edge = 0.005 * std::sqrt(0.9);
  EXPECT_EQ(after_ten(edge * 0.999), StopReason::precise);
  EXPECT_EQ(after_ten(edge * 1.001), std::nullopt);
}

TEST(StoppingRule, NoiseThatNoLongerMovesStopsItAtASixteenthSample) {
  StoppingRule rule({});
  std::int64_t stopped_at = 0;
  for (int i = 0; i < 1000 && stopped_at == 0; ++i) {
    rule.add(microseconds(i % 2 == 0 ? 90 : 110));
    if (rule.reached(nanoseconds(0)) == StopReason::settled) stopped_at = rule.samples();
  }
  // From the fifth sample on the noise is kept, and 64 of its values are asked for: 68 samples, then the next of 16.
  EXPECT_EQ(stopped_at, 80);
}

TEST(StoppingRule, NoiseThatStillGrowsDoesNotSettle) {
  StoppingRule rule({});
  double value = 1;
  for (int i = 0; i < 160; ++i) {
    rule.add(nanoseconds(value));
    value *= 1.05;
    EXPECT_EQ(rule.reached(nanoseconds(0)), std::nullopt) << i;
  }
}

TEST(StoppingRule, OldNoiseLeavesTheRing) {
  // One sample far off in the beginning: the noise falls with every later one, the slower the more there are.
  const auto samples_until_settled = [](std::size_t ring) {
    StoppingLimits limits;
    limits.ring = ring;
    limits.most_samples = 100'000;
    StoppingRule rule(limits);
    rule.add(microseconds(10'000));
    while (!rule.reached(nanoseconds(0))) rule.add(microseconds(100));
    return rule.samples();
  };
  EXPECT_LT(samples_until_settled(64), samples_until_settled(512));
}

TEST(StoppingRule, TheBoundsAreSaidAsWhatTheyAre) {
  StoppingLimits limits;
  limits.most_samples = 20;
  limits.settled_from = 1000;
  StoppingRule rule(limits);
  rule.add(nanoseconds(1));
  EXPECT_EQ(rule.reached(seconds(15)), std::nullopt) << "one sample has no spread";
  rule.add(nanoseconds(9));
  EXPECT_EQ(rule.reached(seconds(15)), StopReason::time);
  for (int i = 2; i < 20; ++i) rule.add(nanoseconds(i));
  EXPECT_EQ(rule.reached(nanoseconds(0)), StopReason::samples);
}

TEST(StoppingRule, GaussianNoiseOfTwoPercentSettlesBeforeAThousandSamples) {
  std::mt19937 engine(7);
  StoppingRule rule({});
  // Sum of twelve uniform values less 6: near enough to a normal one, and the same with every library.
  const auto normal = [&] {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += static_cast<double>(engine()) / 4294967296.0;
    return sum;
  };
  std::optional<StopReason> stopped;
  while (!stopped) {
    rule.add(microseconds(100 * (1 + 0.02 * normal())));
    stopped = rule.reached(nanoseconds(0));
  }
  EXPECT_EQ(stopped, StopReason::settled);
}

}  // namespace
}  // namespace steelyard::cuda
