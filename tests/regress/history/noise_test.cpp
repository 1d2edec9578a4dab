#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "regress/history/machine_values.hpp"
#include "regress/history/noise.hpp"

namespace steelyard::regress::noise_test {
namespace {

// Twelve uniform numbers: near enough to normal for a scale.
double rough_normal(std::mt19937_64& engine) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += static_cast<double>(engine() >> 11) * 0x1p-53;
  return sum;
}

std::vector<double> autoregressive(std::size_t n, double phi, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::vector<double> values;
  double last = 0;
  for (std::size_t i = 0; i < n; ++i) {
    last = phi * last + std::sqrt(1 - phi * phi) * rough_normal(engine);
    values.push_back(last);
  }
  return values;
}

TEST(Noise, OfIndependentValuesIsTheirDeviation) {
  const Noise noise = Noise::guess(autoregressive(20'000, 0, 1));
  EXPECT_NEAR(noise.scale(), 1, 0.05);
  EXPECT_NEAR(noise.variance_of_step(10, 40), 1.0 / 10 + 1.0 / 40, 0.02);
}

TEST(Noise, OfResemblingNeighboursWidensAStep) {
  const Noise noise = Noise::between(autoregressive(20'000, 0.7, 2), {}, {});
  // Variance of the mean of n values with lag-one correlation f: (1 + f) / (1 - f) / n for long stretches.
  EXPECT_NEAR(noise.variance_of_step(200, 200), 2 * (1.7 / 0.3) / 200, 0.2 * 2 * (1.7 / 0.3) / 200);
}

TEST(Noise, IsNotSpoiledByAFewSteps) {
  std::vector<double> values = autoregressive(300, 0, 3);
  const double before = Noise::guess(values).scale();
  for (std::size_t i = 100; i < 200; ++i) values[i] += 50;
  EXPECT_NEAR(Noise::guess(values).scale(), before, 0.15 * before);
}

TEST(Noise, IsNoneWithoutADifference) {
  EXPECT_EQ(Noise::guess({}).scale(), 0);
  EXPECT_EQ(Noise::guess(std::vector<double>{4}).scale(), 0);
  EXPECT_EQ(Noise::guess(std::vector<double>(30, 4)).scale(), 0);
  EXPECT_EQ(Noise::guess(std::vector<double>(30, 4)).variance_of_step(3, 9), 0);
}

TEST(ClipSpikes, MovesASpikeOfTwoValuesToTheReach) {
  const std::vector<double> values = {1, 1, 1, 9, 9, 1, 1, 1, 1, -9, 1};
  EXPECT_EQ(clip_spikes(values, 1), (std::vector<double>{1, 1, 1, 4, 4, 1, 1, 1, 1, -2, 1}));
}

TEST(ClipSpikes, LeavesAStepOfThreeValuesAlone) {
  const std::vector<double> values = {1, 1, 1, 9, 9, 9, 1, 1, 1};
  EXPECT_EQ(clip_spikes(values, 1), values);
  const std::vector<double> at_the_end = {1, 1, 1, 1, 9, 9, 9};
  EXPECT_EQ(clip_spikes(at_the_end, 1), at_the_end);
}

TEST(ClipSpikes, HoldsAValueCloserThatItsOwnSamplesDoNotSupport) {
  const std::vector<double> values = {1, 1, 3, 1, 1};
  const std::vector<double> errors = {0, 0, 6, 0, 0};
  EXPECT_EQ(clip_spikes(values, 1, errors), (std::vector<double>{1, 1, 1.5, 1, 1}));
}

TEST(ClipSpikes, LeavesFewerThanThreeValuesAlone) {
  EXPECT_TRUE(clip_spikes({}, 1).empty());
  EXPECT_EQ(clip_spikes(std::vector<double>{1, 100}, 1), (std::vector<double>{1, 100}));
}

}  // namespace

}  // namespace steelyard::regress::noise_test
