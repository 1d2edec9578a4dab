#include "bench/harness/block_outliers.hpp"

#include <gtest/gtest.h>

namespace steelyard {
namespace {

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

}  // namespace
}  // namespace steelyard
