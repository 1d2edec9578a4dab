#include "tests/statistics/histories/scores.hpp"

#include <gtest/gtest.h>

namespace steelyard::scores_test {
namespace {

TEST(F1Score, IsOneForTheSamePointsAndForNoneAtAll) {
  EXPECT_DOUBLE_EQ(f1_score({{10, 20}}, {10, 20}), 1);
  EXPECT_DOUBLE_EQ(f1_score({{}}, {}), 1);
}

// By hand: the start and one of the two known points are hit, one of the three found ones is wrong.
TEST(F1Score, CountsTheStartAsAPoint) {
  // precision 2/3, recall 2/3
  EXPECT_DOUBLE_EQ(f1_score({{10, 40}}, {12, 60}), 2.0 / 3);
  // doing nothing on one known point: precision 1, recall 1/2
  EXPECT_DOUBLE_EQ(f1_score({{50}}, {}), 2.0 / 3);
}

TEST(F1Score, TakesEachPointOnceAndNoneBeyondTheMargin) {
  EXPECT_DOUBLE_EQ(f1_score({{20}}, {18, 22}), 2 * (2.0 / 3) * 1 / (2.0 / 3 + 1));
  EXPECT_DOUBLE_EQ(f1_score({{20}}, {25}), 1);
  EXPECT_DOUBLE_EQ(f1_score({{20}}, {26}), 0.5);
}

TEST(F1Score, AsksAllAnnotatorsForPrecisionAndEachForRecall) {
  // precision: both found points are known to somebody, and the start; recall: (2/2 + 2/2) / 2
  EXPECT_DOUBLE_EQ(f1_score({{20}, {60}}, {20, 60}), 1);
  // recall (2/2 + 1/2) / 2 = 3/4
  EXPECT_DOUBLE_EQ(f1_score({{20}, {60}}, {20}), 2 * 0.75 / 1.75);
}

TEST(CoverScore, WeighsTheBestOverlapOfEachSegmentByItsLength) {
  EXPECT_DOUBLE_EQ(cover_score({{50}}, {50}, 100), 1);
  EXPECT_DOUBLE_EQ(cover_score({{50}}, {}, 100), 0.5);
  // [0, 50) against [0, 40): 40/50; [50, 100) against [40, 100): 50/60
  EXPECT_DOUBLE_EQ(cover_score({{50}}, {40}, 100), 0.5 * 0.8 + 0.5 * 50 / 60);
  EXPECT_DOUBLE_EQ(cover_score({{50}, {}}, {50}, 100), (1 + 0.5) / 2);
}

}  // namespace
}  // namespace steelyard::scores_test
