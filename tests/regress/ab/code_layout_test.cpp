#include "regress/ab/code_layout.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "regress/ab/steady_digits.hpp"

namespace steelyard::regress::code_layout_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

PairedRound round_of(std::int32_t number, double difference) {
  const std::int32_t slot = number % 2;
  return {{number, slot, {0}, 0}, {number, 1 - slot, {difference}, difference}};
}

std::vector<PairedRound> rounds_of(const std::vector<double>& differences) {
  std::vector<PairedRound> rounds;
  for (const double difference : differences) {
    rounds.push_back(round_of(static_cast<std::int32_t>(rounds.size()), difference));
  }
  return rounds;
}

// Sums of squares written down by hand: layout 0 has 1, 3, 2, 2 (pairs of mean 2 and 2), layout 1 has 5, 7 (6).
TEST(CodeLayoutNoise, IsTheAnalysisOfVarianceOfItsHeader) {
  const auto found =
      noise_of_code_layouts(rounds_of({1, 3, 2, 2, 5, 7}), std::vector<std::int32_t>{0, 0, 0, 0, 1, 1}, 0.95);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->layouts, 2);
  // d = (1 - 3, 2 - 2, 5 - 7) = -2, 0, -2: around -4/3 their squares sum to 8/3; no pair is off its layout's mean.
  const double e = 8.0 / 3 / 2 / (6 - 2 - 1);
  // Means 2 and 6, of all 10/3: 4 (16/9) + 2 (64/9) = 64/3. n0 = 6 - (16 + 4) / 6 = 8/3.
  const double a = (64.0 / 3 - e) / (8.0 / 3);
  EXPECT_NEAR(found->deviation, std::sqrt(a), 1e-12);
  // Mean of the two means 4, its standard error 2, t of one degree of freedom 12.706.
  EXPECT_NEAR(found->interval.low, 4 - 12.7062 * 2, 1e-3);
  EXPECT_NEAR(found->interval.high, 4 + 12.7062 * 2, 1e-3);
}

TEST(CodeLayoutNoise, ASlotEffectIsNoLayoutAndNoScatter) {
  std::vector<double> differences;
  for (int i = 0; i < 8; ++i) differences.push_back(i % 2 == 0 ? 0.2 : -0.2);  // the second slot is slower, always
  const auto found =
      noise_of_code_layouts(rounds_of(differences), std::vector<std::int32_t>{2, 2, 0, 0, 1, 1, 2, 2}, 0.95);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->layouts, 3);
  EXPECT_NEAR(found->deviation, 0, 1e-12);
  EXPECT_NEAR(found->interval.high - found->interval.low, 0, 1e-12);
}

TEST(CodeLayoutNoise, IsNotToldFromTooLittle) {
  const std::vector<std::int32_t> two{0, 0, 1, 1};
  EXPECT_FALSE(noise_of_code_layouts(rounds_of({}), two, 0.95));
  EXPECT_FALSE(noise_of_code_layouts(rounds_of({1, 2, 3, 4}), {}, 0.95)) << "one layout a build";
  EXPECT_FALSE(noise_of_code_layouts(rounds_of({1, 2, 3, 4}), std::vector<std::int32_t>{1, 1, 1, 1}, 0.95));
  EXPECT_FALSE(noise_of_code_layouts(rounds_of({1, 2, 3}), two, 0.95)) << "the second pair lacks a round";
  EXPECT_TRUE(noise_of_code_layouts(rounds_of({1, 2, 3, 4}), two, 0.95));
}

// The layouts of the rounds that are left count, whichever were dropped.
TEST(CodeLayoutNoise, TakesWholePairsOnly) {
  std::vector<PairedRound> rounds = rounds_of({1, 3, 2, 2, 5, 7, 90, 90});
  rounds.erase(rounds.begin() + 7);
  const std::vector<std::int32_t> layouts{0, 0, 0, 0, 1, 1, 2, 2};
  const auto found = noise_of_code_layouts(rounds, layouts, 0.95);
  const auto without = noise_of_code_layouts(rounds_of({1, 3, 2, 2, 5, 7}), layouts, 0.95);
  ASSERT_TRUE(found && without);
  EXPECT_EQ(found->deviation, without->deviation);
  EXPECT_EQ(found->layouts, 2);
}

class Normal {
 public:
  explicit Normal(std::uint64_t seed) : engine_(seed) {}
  double operator()() {  // Box and Muller
    const double u = (static_cast<double>(engine_() >> 11U) + 1) / 9007199254740993.0;
    const double v = static_cast<double>(engine_() >> 11U) / 9007199254740992.0;
    return std::sqrt(-2 * std::log(u)) * std::cos(6.283185307179586 * v);
  }

 private:
  std::mt19937_64 engine_;
};

// Layouts of 2 %, rounds of 1 % and a slot effect of 3 %: the interval over layouts holds the change in 95 % of tries,
// and the component is right on average, which an interval from rounds alone could not do.
TEST(CodeLayoutNoise, TheIntervalOverLayoutsHoldsTheChangeAsOftenAsItSays) {
  constexpr int kTries = 2000;
  constexpr int kLayouts = 4;
  constexpr double kChange = 0.03;
  int held = 0;
  double variance = 0;
  Normal normal(11);
  for (int i = 0; i < kTries; ++i) {
    std::vector<double> of_layout(kLayouts);
    for (double& layout : of_layout) layout = 0.02 * normal();
    std::vector<double> differences;
    std::vector<std::int32_t> layouts;
    for (int round = 0; round < 24; ++round) {
      layouts.push_back(round / 2 % kLayouts);
      differences.push_back(kChange + of_layout[static_cast<std::size_t>(layouts.back())] +
                            (round % 2 == 0 ? 0.03 : -0.03) + 0.01 * normal());
    }
    const auto found = noise_of_code_layouts(rounds_of(differences), layouts, 0.95);
    ASSERT_TRUE(found);
    held += found->interval.low <= kChange && kChange <= found->interval.high ? 1 : 0;
    variance += found->deviation * found->deviation / kTries;
  }
  // Binomial(2000, .95): outside with probability below 1e-6 a side; the seed is fixed.
  EXPECT_GT(held, 1852);
  EXPECT_LT(held, 1944);
  EXPECT_NEAR(variance, 0.02 * 0.02, 0.02 * 0.02 * 0.1);
}

TEST(MutualCodeLayouts, AreThoseThatBothSidesHad) {
  RunHeader one;
  RunHeader other;
  EXPECT_THAT(mutual_code_layouts(one, other), IsEmpty());
  keep_code_layouts({17, 4}, {1, 1, 0, 0}, "", one.settings);
  EXPECT_THAT(mutual_code_layouts(one, other), IsEmpty()) << "one side had one layout";
  keep_code_layouts({8, 9}, {1, 1, 0, 0}, "", other.settings);
  EXPECT_THAT(mutual_code_layouts(one, other), ElementsAre(1, 1, 0, 0)) << "whatever the seeds";
  keep_code_layouts({8, 9}, {0, 0, 1, 1}, "", other.settings);
  EXPECT_THAT(mutual_code_layouts(one, other), IsEmpty());
}

}  // namespace
}  // namespace steelyard::regress::code_layout_test
