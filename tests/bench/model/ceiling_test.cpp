#include "bench/model/ceiling.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace steelyard::ceiling_test {
namespace {

using testing::HasSubstr;

TEST(Utilization, UpToTheCeilingIsPlausible) {
  EXPECT_EQ(judge_utilization(0.005), UtilizationJudgement::plausible);
  EXPECT_EQ(judge_utilization(1.0), UtilizationJudgement::plausible);
  EXPECT_EQ(utilization_warning(1.0), "");
}

TEST(Utilization, AboveTheCeilingWarnsUpToFifteenPerCent) {
  EXPECT_EQ(judge_utilization(std::nextafter(1.0, 2.0)), UtilizationJudgement::above_ceiling);
  EXPECT_EQ(judge_utilization(1.15), UtilizationJudgement::above_ceiling);
  EXPECT_THAT(utilization_warning(1.05), HasSubstr("105.0 % of the ceiling"));
}

TEST(Utilization, FurtherAboveIsAMeasurementErrorAndNoResult) {
  EXPECT_EQ(judge_utilization(std::nextafter(1.15, 2.0)), UtilizationJudgement::measurement_error);
  EXPECT_THAT(utilization_warning(1.819), HasSubstr("181.9 % of the ceiling is a measurement error"));
}

TEST(Utilization, WhatIsNoPositiveNumberIsAMeasurementError) {
  for (const double value :
       {0.0, -0.1, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(judge_utilization(value), UtilizationJudgement::measurement_error) << value;
    EXPECT_THAT(utilization_warning(value), HasSubstr("measurement error")) << value;
  }
}

}  // namespace
}  // namespace steelyard::ceiling_test
