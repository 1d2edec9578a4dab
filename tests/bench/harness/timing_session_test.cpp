#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "bench/harness/median_interval.hpp"
#include "bench/harness/numpy_random.hpp"
#include "bench/harness/timing_session.hpp"

namespace steelyard::timing_session_test {
namespace {

using testing::ElementsAre;

// Costs of a run and of a block, without noise; `slow` blocks (by order) take ten times as long.
struct Paper {
  double run_seconds;
  double read_seconds = 0;
  int slow = -1;
  int blocks = 0;
  TimeRuns time() {
    return [this](std::int64_t runs) {
      const double seconds = read_seconds + run_seconds * static_cast<double>(runs);
      return (runs > 0 && blocks++ == slow ? 10 : 1) * std::max(seconds, 1e-9);
    };
  }
};

TEST(BlockSize, ReferenceGrowsByTensUntilABlockIsAThousandthOfTheTime) {
  Paper paper{1e-6};
  const BlockCalibration found = calibrate_as_reference(paper.time(), 0.2);
  EXPECT_THAT(found.tried_runs, ElementsAre(1, 10, 100, 1000));
  EXPECT_EQ(found.runs, 1000);
}

TEST(BlockSize, ReferenceAlsoWaitsForTheOverheadToVanish) {
  Paper paper{1e-6, 1e-6};
  EXPECT_EQ(calibrate_as_reference(paper.time(), 0.2).runs, 10'000) << "1 us is 1e-4 of 10 ms";
  EXPECT_DOUBLE_EQ(calibrate_as_reference(paper.time(), 0.2).overhead_seconds, 1e-6);
}

TEST(BlockSize, ReferenceStopsPastTheWholeTimeAndBeforeThirtyTwoBitsOverflow) {
  Paper dear{1e-3, 1e-3};
  EXPECT_EQ(calibrate_as_reference(dear.time(), 0.01).runs, 10) << "11 ms are more than 10";
  Paper nothing{0};
  EXPECT_EQ(calibrate_as_reference(nothing.time(), 0.2).runs, 1'000'000'000);
}

TEST(BlockSize, OursReachesTheGoalWithoutOvershootingTenfold) {
  for (const double run_seconds : {3e-9, 0.9e-6, 1.1e-6, 55e-6, 190e-6}) {
    Paper paper{run_seconds, 1e-8};
    const BlockCalibration found = calibrate(paper.time(), 0.2);
    EXPECT_GE(found.tried_seconds.back(), 2e-4) << run_seconds;
    EXPECT_LT(found.tried_seconds.back(), 4e-4) << run_seconds;
  }
}

TEST(BlockSize, OneSlowBlockDoesNotEndOurSearch) {
  Paper quiet{1e-6};
  Paper disturbed{1e-6, 0, 1};
  EXPECT_NEAR(static_cast<double>(calibrate(disturbed.time(), 0.2).runs),
              static_cast<double>(calibrate(quiet.time(), 0.2).runs), 100);
  // The reference's: the second block, of 10 runs, takes 100 us instead of 10 and is the last with a goal of 50 us.
  Paper reference{1e-6, 0, 1};
  EXPECT_EQ(calibrate_as_reference(reference.time(), 0.05).runs, 10);
}

TEST(BlockSize, LongStatementIsRunTwice) {
  Paper paper{3};
  EXPECT_THAT(calibrate(paper.time(), 0.2).tried_runs, ElementsAre(1, 1));
}

TEST(BlockSize, DearClockDoesNotMakeABlockLongerThanTheWholeTime) {
  Paper paper{1e-6, 1e-3};
  EXPECT_LT(calibrate(paper.time(), 0.2).tried_seconds.back(), 0.4);
}

TEST(BlockSize, EndsForAStatementThatTakesNoTime) {
  Paper nothing{0};
  EXPECT_EQ(calibrate(nothing.time(), 0.2).runs, 2'147'483'647);
}

TEST(BlockSize, VariesByZeroToTwentyPercent) {
  NumpyRandom random(1);
  std::int64_t least = 1'000'000;
  std::int64_t most = 0;
  for (int i = 0; i < 2000; ++i) {
    const std::int64_t runs = vary_runs(100, random);
    least = std::min(least, runs);
    most = std::max(most, runs);
  }
  EXPECT_EQ(least, 100);
  EXPECT_EQ(most, 120);
  EXPECT_EQ(vary_runs(4, random), 4);
}

// Noise of a period that blocks of a round size always meet at the same phase, so that the mean over blocks is off;
// blocks that vary meet all of it.
TEST(BlockSize, VariedBlocksDoNotFallInStepWithPeriodicNoise) {
  constexpr std::int64_t kPeriod = 100;  // runs; the last tenth of each period costs double
  std::int64_t position = 90;            // runs so far, as they lie in the period; each block starts there again
  const auto cost = [&](std::int64_t runs, std::int64_t gap) {
    double total = 0;
    for (std::int64_t i = 0; i < runs; ++i) total += (position + i) % kPeriod >= 90 ? 2 : 1;
    position += runs + gap;
    return total / static_cast<double>(runs);
  };
  constexpr double kTruth = 1.1;
  double fixed = 0;
  double varied = 0;
  constexpr int kBlocks = 400;
  for (int i = 0; i < kBlocks; ++i) fixed += cost(50, 50) / kBlocks;
  NumpyRandom random(5);
  position = 90;
  for (int i = 0; i < kBlocks; ++i) varied += cost(vary_runs(50, random), 50) / kBlocks;
  EXPECT_NEAR(fixed, 1.2, 1e-9);
  EXPECT_NEAR(varied, kTruth, 0.02);
}

// Quartiles 20 and 40: mild beyond -10 and 70, severe beyond -40 and 100.
const std::vector<double> kTimes{10, 20, 30, 40, 50};

TEST(BlockOutliers, AreClassedByTukeysFences) {
  EXPECT_EQ(count_outliers(kTimes, {70, -10, 30}), (BlockOutliers{0, 0, 3}));
  EXPECT_EQ(count_outliers(kTimes, {70.1, -10.1, 100, -40}), (BlockOutliers{4, 0, 4}));
  EXPECT_EQ(count_outliers(kTimes, {100.1, -40.1, 71}), (BlockOutliers{1, 2, 3}));
}

TEST(BlockOutliers, FewerThanFourTimesHaveNoFences) {
  EXPECT_EQ(count_outliers({1, 2, 3}, {1000}), (BlockOutliers{0, 0, 1}));
}

TEST(BlockOutliers, AmongEqualTimesAnyOtherIsSevere) {
  EXPECT_EQ(count_outliers({5, 5, 5, 5}, {5, 5.1}), (BlockOutliers{0, 1, 2}));
}

TEST(BlockOutliers, ReadAsWords) {
  EXPECT_EQ(to_text({0, 0, 40}), "none of 40");
  EXPECT_EQ(to_text({2, 1, 40}), "2 mild, 1 severe of 40");
  EXPECT_EQ(to_text({0, 3, 40}), "3 severe of 40");
}

// 100 with 5 % of noise.
std::vector<double> noisy(std::size_t n) {
  NumpyRandom random(4);
  std::vector<double> times(n);
  for (double& time : times) time = random.normal(100, 5);
  return times;
}

TEST(Halves, AgreeUnlessTheirIntervalsLieApart) {
  EXPECT_TRUE(halves_agree(noisy(20)));
  std::vector<double> falling = noisy(20);
  for (std::size_t i = 0; i < 10; ++i) falling[i] += 50;
  EXPECT_FALSE(halves_agree(falling));
  EXPECT_TRUE(halves_agree(std::array{2.0, 2.0, 1.0, 1.0})) << "too few to tell";
  EXPECT_TRUE(halves_agree({}));
}

TEST(Plan, PrecisionIsHalfTheIntervalOverTheMedian) {
  const std::vector<double> times = noisy(20);
  const MedianInterval interval = median_interval(times);
  EXPECT_DOUBLE_EQ(*relative_precision(times), (interval.bounds->high - interval.bounds->low) / 2 / interval.median);
  EXPECT_EQ(relative_precision({}), std::nullopt);
  EXPECT_EQ(relative_precision(std::array{1.0, 2.0}), std::nullopt);
}

TEST(Plan, BlocksGrowWithTheSquareOfTheSpread) {
  const std::vector<double> pilot = noisy(20);
  const double reached = *relative_precision(pilot);
  EXPECT_EQ(plan_blocks(pilot, reached, 1, 1000), 20U);
  EXPECT_EQ(plan_blocks(pilot, reached / 2, 1, 1000), 80U);
  EXPECT_EQ(plan_blocks(pilot, reached / 2, 90, 1000), 90U);
  EXPECT_EQ(plan_blocks(pilot, reached / 2, 1, 50), 50U);
  EXPECT_EQ(plan_blocks(pilot, reached / 2, 90, 5), 5U) << "the limit wins";
  EXPECT_EQ(plan_blocks(pilot, reached * 10, 1, 1000), 20U) << "never fewer than 20 for want of noise";
  EXPECT_EQ(plan_blocks(pilot, 1e-300, 1, 1000), 1000U);
}

TEST(Plan, PilotWithoutAnIntervalAsksForTenTimesItsBlocks) {
  EXPECT_EQ(plan_blocks(std::array{1.0, 2.0, 3.0}, 0.01, 1, 1000), 30U);
  EXPECT_EQ(plan_blocks({}, 0.01, 1, 1000), 20U);
}

}  // namespace

}  // namespace steelyard::timing_session_test
