#include "regress/ab/second_witness.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace steelyard {
namespace {

using ::testing::HasSubstr;

struct Device {
  double cycles = 0;
  double clock_hz = 0;
};

Run run_with(const Device& device) {
  Run run;
  run.invocations.resize(2);
  const auto add = [&](std::string_view metric, double value) {
    Measurement measurement;
    measurement.benchmark.name = "matmul";
    measurement.metric = *well_known_metric(metric);
    measurement.invocations = {{0, {value, value, value * 1.5}, {}}, {1, {value}, {}}};
    run.measurements.push_back(std::move(measurement));
  };
  if (device.cycles > 0) add(kDeviceCycles, device.cycles);
  if (device.clock_hz > 0) add(kSmClock, device.clock_hz);
  return run;
}

ComparisonRow changed(double ratio, Verdict verdict = Verdict::regression) {
  ComparisonRow row;
  row.benchmark = "matmul";
  row.metric = *well_known_metric(kRealTime);
  row.ratio = ratio;
  row.verdict = verdict;
  row.reason = "slower";
  return row;
}

std::string told(const Device& before, const Device& now, ComparisonRow row) {
  std::vector<ComparisonRow> rows{std::move(row)};
  ask_second_witness(run_with(before), run_with(now), rows);
  return rows[0].reason;
}

TEST(SecondWitness, SaysThatTheClockDidItWhereTheCyclesStoodStill) {
  EXPECT_EQ(told({1e5, 1.98e9}, {1.001e5, 1.65e9}, changed(1.2)),
            "slower; the device's cycles did not change (+0.10 %): its clock did, 1.98 GHz before and 1.65 GHz now");
}

TEST(SecondWitness, ConfirmsAChangeOfTheCode) {
  EXPECT_EQ(told({1e5, 1.98e9}, {1.2e5, 1.98e9}, changed(1.2)),
            "slower; the device's cycles changed by +20.0 %, 1.98 GHz before and 1.98 GHz now");
}

TEST(SecondWitness, ASmallChangeOfTimeIsNotTheClocksBecauseTheCyclesChangedLittleToo) {
  EXPECT_THAT(told({1e5, 0}, {1.009e5, 0}, changed(1.012)), HasSubstr("cycles changed by"));
}

TEST(SecondWitness, KeepsSilentWithoutCyclesOrWithoutAChange) {
  EXPECT_EQ(told({}, {1e5, 1e9}, changed(1.2)), "slower");
  EXPECT_EQ(told({1e5, 1e9}, {}, changed(1.2)), "slower");
  EXPECT_EQ(told({1e5, 1e9}, {1e5, 1e9}, changed(1.2, Verdict::inconclusive)), "slower");
  ComparisonRow other = changed(1.2);
  other.benchmark = "add";
  EXPECT_EQ(told({1e5, 1e9}, {1e5, 1e9}, other), "slower");
}

}  // namespace
}  // namespace steelyard
