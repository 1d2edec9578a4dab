#include "bench/cuda/throttle_watch.hpp"

#include <gtest/gtest.h>

#include "bench/cuda/clock_steadiness.hpp"

namespace steelyard::cuda {
namespace {

const ClockRule kRule{.default_hz = 2e9};

TEST(ThrottleWatch, ThreeQuartersOfTheDefaultClockAreKept) {
  ThrottleWatch watch(kRule);
  EXPECT_EQ(watch.judge(1.5e9), std::nullopt);
  EXPECT_NE(watch.judge(1.499e9), std::nullopt);
  EXPECT_EQ(watch.discarded(), 1);
}

TEST(ThrottleWatch, PausesGrowByHalfToTheirBoundAndBeginAgain) {
  ThrottleWatch watch(kRule);
  EXPECT_DOUBLE_EQ(watch.judge(1e9)->count(), 50e6);
  EXPECT_DOUBLE_EQ(watch.judge(1e9)->count(), 75e6);
  EXPECT_DOUBLE_EQ(watch.judge(1e9)->count(), 112.5e6);
  for (int i = 0; i < 4; ++i) watch.judge(1e9);
  EXPECT_DOUBLE_EQ(watch.judge(1e9)->count(), 500e6);
  EXPECT_EQ(watch.judge(1.9e9), std::nullopt);
  EXPECT_DOUBLE_EQ(watch.judge(1e9)->count(), 50e6);
}

TEST(ThrottleWatch, ADeviceThatIsHeldBackForGoodIsMeasuredInTheEnd) {
  ThrottleWatch watch(kRule);
  for (int i = 0; i < 8; ++i) EXPECT_NE(watch.judge(1e9), std::nullopt) << i;
  EXPECT_FALSE(watch.has_given_in());
  EXPECT_EQ(watch.judge(1e9), std::nullopt);
  EXPECT_TRUE(watch.has_given_in());
  EXPECT_EQ(watch.judge(1e9), std::nullopt);
  EXPECT_EQ(watch.discarded(), 8);
}

TEST(ThrottleWatch, AnUnknownClockDiscardsNothing) {
  ThrottleWatch unknown_sample(kRule);
  EXPECT_EQ(unknown_sample.judge(0), std::nullopt);
  ThrottleWatch unknown_default({});
  EXPECT_EQ(unknown_default.judge(1), std::nullopt);
}

TEST(ClockSteadiness, TakesThreeStretchesWithinOnePercent) {
  ClockSteadiness steadiness;
  for (const double clock : {1.0e9, 1.5e9, 1.98e9, 1.97e9}) {
    steadiness.add(clock);
    EXPECT_FALSE(steadiness.is_steady()) << clock;
  }
  steadiness.add(1.98e9);
  EXPECT_TRUE(steadiness.is_steady());
  steadiness.add(1.9e9);
  EXPECT_FALSE(steadiness.is_steady());
}

TEST(ClockSteadiness, OfUnknownClocksThreeStretchesHaveToDo) {
  ClockSteadiness steadiness;
  steadiness.add(0);
  steadiness.add(0);
  EXPECT_FALSE(steadiness.is_steady());
  steadiness.add(0);
  EXPECT_TRUE(steadiness.is_steady());
}

}  // namespace
}  // namespace steelyard::cuda
