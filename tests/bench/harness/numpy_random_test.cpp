#include "bench/harness/numpy_random.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>

namespace steelyard::numpy_random_test {
namespace {

// Published by NumPy's own documentation and tests of RandomState(0) and of its legacy seed 1234567890.
TEST(NumpyRandom, RealsAreThoseOfRandomState) {
  NumpyRandom random(0);
  EXPECT_EQ(random.real(), 0.5488135039273248);
  EXPECT_EQ(random.real(), 0.7151893663724195);
  EXPECT_EQ(random.real(), 0.6027633760716439);
}

TEST(NumpyRandom, NormalsAreThoseOfRandomState) {
  NumpyRandom random(0);
  EXPECT_DOUBLE_EQ(random.normal(0, 1), 1.764052345967664);
  EXPECT_DOUBLE_EQ(random.normal(0, 1), 0.4001572083672233);
  EXPECT_DOUBLE_EQ(random.normal(0, 1), 0.9787379841057392);
}

TEST(NumpyRandom, FirstWordIsThatOfMersenneTwister) {
  NumpyRandom random(5489);
  EXPECT_EQ(random.bits32(), 3499211612U);  // Matsumoto and Nishimura's reference output
}

TEST(NumpyRandom, IntervalCoversItsEndsAndNothingElse) {
  NumpyRandom random(7);
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(random.interval(4));
  EXPECT_EQ(seen, (std::set<std::uint64_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(random.interval(0), 0U);
}

TEST(NumpyRandom, WideIntervalsUseBothWords) {
  NumpyRandom random(7);
  constexpr std::uint64_t kMax = std::uint64_t{1} << 40U;
  std::uint64_t largest = 0;
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t drawn = random.interval(kMax);
    EXPECT_LE(drawn, kMax);
    largest = std::max(largest, drawn);
  }
  EXPECT_GT(largest, std::uint64_t{1} << 32U);
}

TEST(NumpyRandom, PermutationHoldsEachIndexOnce) {
  NumpyRandom random(3);
  const std::vector<std::size_t> order = random.permutation(50);
  EXPECT_EQ(std::set<std::size_t>(order.begin(), order.end()).size(), 50U);
  EXPECT_EQ(random.permutation(0).size(), 0U);
}

TEST(NumpyRandom, ChoiceFollowsTheSharesAndNeverTakesAnImpossibleOne) {
  NumpyRandom random(1);
  std::array<int, 3> drawn{};
  for (int i = 0; i < 10000; ++i) ++drawn[random.choice(std::array{0.25, 0.0, 0.75})];
  EXPECT_EQ(drawn[1], 0);
  // Seven standard deviations of a binomial of 10000 and .25.
  EXPECT_NEAR(drawn[0], 2500, 7 * std::sqrt(10000 * 0.25 * 0.75));
}

}  // namespace
}  // namespace steelyard::numpy_random_test
