#include "regress/targets/target_wording.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/regress/targets/sample_ceilings.hpp"

namespace steelyard::regress {
namespace {

using ::testing::HasSubstr;

TEST(RateText, HasThreeDigitsAndAUnitThatFits) {
  EXPECT_EQ(rate_text(12.345e9, "bandwidth"), "12.3 GB/s");
  EXPECT_EQ(rate_text(999.6e9, "flops"), "1.00 Tflop/s");
  EXPECT_EQ(rate_text(312e12, "flops"), "312 Tflop/s");
  EXPECT_EQ(rate_text(5, "bandwidth"), "5.00 B/s");
  EXPECT_EQ(rate_text(7e18, "flops"), "7000 Pflop/s");
}

TargetRow undecided(double achieved, double width, double least, std::int64_t invocations) {
  TargetRow row;
  row.target.of = Target::Of::rate;
  row.target.least = least;
  row.metric = "bandwidth";
  row.achieved = achieved;
  row.achieved_interval = Interval{achieved / (1 + width), achieved * (1 + width)};
  row.invocations = invocations;
  return row;
}

TEST(WhatWouldDo, AsksForTheSquareOfTheDistance) {
  // 10 % wide, 5 % away: four times as many.
  EXPECT_THAT(what_would_do(undecided(105, 0.10, 100, 8)), HasSubstr("about 31 invocations would decide, there are 8"));
  EXPECT_THAT(what_would_do(undecided(104.9, 0.05, 100, 3)), HasSubstr("about 6 invocations"));
  EXPECT_THAT(what_would_do(undecided(100.1, 0.05, 100, 8)), HasSubstr("move the target"));
  EXPECT_THAT(what_would_do(undecided(100, 0.05, 100, 8)), HasSubstr("move the target"));
}

TEST(WhatWouldDo, NoInvocationHelpsWhereTheCeilingIsTooUncertain) {
  TargetRow row = undecided(6.2e9, 0.001, 0.5, 8);
  row.target.of = Target::Of::bandwidth;
  row.ceiling = sample::bandwidth("DRAM", "read", 1, 12e9, 0.1);
  row.utilization = 6.2 / 12;
  row.utilization_interval = Interval{0.46, 0.56};
  EXPECT_THAT(what_would_do(row), HasSubstr("measure it again"));
}

TEST(NoRateReason, SaysHowToReportOne) {
  EXPECT_THAT(no_rate_reason({}, "bandwidth"), HasSubstr("SetBytesProcessed"));
  EXPECT_THAT(no_rate_reason({}, "flops"), HasSubstr("counter \"flops\""));
}

}  // namespace
}  // namespace steelyard::regress
