#include "regress/ab/counted.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace steelyard {
namespace {

using ::testing::HasSubstr;
using Values = std::vector<double>;

ComparisonRow judged(const Values& baseline, const Values& candidate, Better better = Better::lower) {
  ComparisonRow row;
  row.metric = *well_known_metric(kInstructions);
  row.metric.better = better;
  judge_counted(baseline, candidate, row);
  return row;
}

TEST(Counted, OneInstructionMoreIsARegressionWithoutJitter) {
  const ComparisonRow row = judged({1000000, 1000000}, {1000001});
  EXPECT_EQ(row.verdict, Verdict::regression);
  EXPECT_EQ(*row.jitter, 0);
  EXPECT_EQ(row.interval->low, row.interval->high);
  EXPECT_FALSE(row.p.has_value());
}

TEST(Counted, FewerIsAnImprovementAndMoreIsWhereHigherIsBetter) {
  EXPECT_EQ(judged({100}, {90}).verdict, Verdict::improvement);
  EXPECT_EQ(judged({100}, {110}, Better::higher).verdict, Verdict::improvement);
}

TEST(Counted, JitterIsTheOnlyTolerance) {
  EXPECT_EQ(judged({1000, 1004}, {1003}).verdict, Verdict::unchanged);
  EXPECT_EQ(judged({1000, 1004}, {1007}).verdict, Verdict::regression);
  EXPECT_NEAR(*judged({1000, 1004}, {1003}).jitter, 4.0 / 1002, 1e-12);
}

TEST(Counted, ACountThatIsNotDeterministicShowsNothing) {
  const ComparisonRow row = judged({100, 113}, {105, 106});
  EXPECT_EQ(row.verdict, Verdict::inconclusive);
  EXPECT_THAT(row.reason, HasSubstr("not deterministic"));
}

TEST(Counted, FromZeroThereIsAVerdictAndNoRatio) {
  const ComparisonRow row = judged({0}, {5});
  EXPECT_EQ(row.verdict, Verdict::regression);
  EXPECT_FALSE(row.ratio.has_value());
  EXPECT_EQ(judged({0}, {0}).verdict, Verdict::unchanged);
}

TEST(Counted, WhatIsNoCountFails) {
  EXPECT_EQ(judged({std::numeric_limits<double>::quiet_NaN()}, {5}).verdict, Verdict::failed);
  EXPECT_EQ(judged({5}, {-1}).verdict, Verdict::failed);
  EXPECT_THAT(judged({5}, {}).reason, HasSubstr("the candidate has no count"));
}

TEST(RelativeJitter, IsTheRangeOverTheMedian) {
  EXPECT_EQ(relative_jitter(Values{}), 0);
  EXPECT_EQ(relative_jitter(Values{7}), 0);
  EXPECT_EQ(relative_jitter(Values{7, 7, 7}), 0);
  EXPECT_DOUBLE_EQ(relative_jitter(Values{90, 100, 110}), 0.2);
}

TEST(CountKeyDifference, ShowsOnlyWhatDiffers) {
  EXPECT_EQ(count_key_difference("libc=2.36;valgrind=3.19", "libc=2.41;valgrind=3.19"),
            "the baseline has libc=2.36, the candidate has libc=2.41");
  EXPECT_EQ(count_key_difference("", "a=1"), "the baseline has nothing more, the candidate has a=1");
}

}  // namespace
}  // namespace steelyard
