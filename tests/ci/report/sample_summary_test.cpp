#include "ci/report/sample_summary.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace steelyard {
namespace {

TEST(SampleSummary, KeepsTheTwoSpreadsApart) {
  Measurement measurement;
  measurement.invocations = {{0, {9, 10, 11}, {}}, {1, {19, 20, 21}, {}}};
  const SampleSummary summary = summarize(measurement);
  EXPECT_EQ(summary.level, 15);
  EXPECT_NEAR(*summary.within, (1.0 / 10 + 1.0 / 20) / 2, 1e-12);
  EXPECT_NEAR(*summary.between, std::sqrt(50.0) / 15, 1e-12);
  EXPECT_EQ(summary.samples, 6);
  EXPECT_EQ(summary.invocations, 2);
}

TEST(SampleSummary, HasNoSpreadOfOneValue) {
  Measurement measurement;
  measurement.invocations = {{0, {7}, {}}};
  const SampleSummary summary = summarize(measurement);
  EXPECT_EQ(summary.level, 7);
  EXPECT_FALSE(summary.within);
  EXPECT_FALSE(summary.between);
}

TEST(SampleSummary, LeavesOutWhatIsNoNumber) {
  Measurement measurement;
  measurement.invocations = {{0, {std::numeric_limits<double>::quiet_NaN()}, {}}};
  EXPECT_FALSE(summarize(measurement).level);
  EXPECT_FALSE(summarize(Measurement{}).level);
}

TEST(SampleSummary, SpreadDoesNotCancelOnLargeValues) {
  Measurement measurement;
  measurement.invocations = {{0, {1e15, 1e15 + 2}, {}}};
  EXPECT_NEAR(*summarize(measurement).within, std::sqrt(2.0) / 1e15, 1e-20);
}

TEST(Median, IsTheMiddleOrTheMeanOfTwo) {
  EXPECT_EQ(middle_of({3, 1, 2}), 2);
  EXPECT_EQ(middle_of({4, 1, 2, 3}), 2.5);
  EXPECT_FALSE(middle_of({}));
}

}  // namespace
}  // namespace steelyard
