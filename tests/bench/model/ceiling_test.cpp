#include "bench/model/ceiling.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace steelyard::ceiling_test {
namespace {

TEST(Utilization, UpToTheCeilingIsPlausible) {
  EXPECT_EQ(judge_utilization(0.005), UtilizationJudgement::plausible);
  EXPECT_EQ(judge_utilization(1.0), UtilizationJudgement::plausible);
}

TEST(Utilization, AboveTheCeilingWarnsUpToFifteenPerCent) {
  EXPECT_EQ(judge_utilization(std::nextafter(1.0, 2.0)), UtilizationJudgement::above_ceiling);
  EXPECT_EQ(judge_utilization(1.15), UtilizationJudgement::above_ceiling);
}

TEST(Utilization, FurtherAboveIsAMeasurementErrorAndNoResult) {
  EXPECT_EQ(judge_utilization(std::nextafter(1.15, 2.0)), UtilizationJudgement::measurement_error);
}

TEST(Utilization, WhatIsNoPositiveNumberIsAMeasurementError) {
  for (const double value :
       {0.0, -0.1, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(judge_utilization(value), UtilizationJudgement::measurement_error) << value;
  }
}

}  // namespace
}  // namespace steelyard::ceiling_test
