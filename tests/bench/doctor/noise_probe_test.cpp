#include "bench/doctor/noise_probe.hpp"

#include <gtest/gtest.h>

namespace steelyard::bench::noise_probe_test {
namespace {

TEST(SummarizeSlices, FindsNothingInEqualOnes) {
  const SliceSummary summary = summarize_slices(std::vector<double>(100, 50.0));
  EXPECT_EQ(summary.slices, 100);
  EXPECT_EQ(summary.median_ns, 50.0);
  EXPECT_EQ(summary.spread, 0.0);
  EXPECT_EQ(summary.lost, 0.0);
  EXPECT_EQ(summary.longest, 1.0);
}

TEST(SummarizeSlices, TakesOneSliceForItsOwnMeasure) {
  const SliceSummary summary = summarize_slices({7.0});
  EXPECT_EQ(summary.median_ns, 7.0);
  EXPECT_EQ(summary.spread, 0.0);
  EXPECT_EQ(summary.longest, 1.0);
}

TEST(SummarizeSlices, CountsWhatLiesAboveTheMedianAsLost) {
  std::vector<double> slices(99, 10.0);
  slices.push_back(1010.0);  // 1000 of 2000 in all
  const SliceSummary summary = summarize_slices(slices);
  EXPECT_DOUBLE_EQ(summary.lost, 0.5);
  EXPECT_DOUBLE_EQ(summary.longest, 101.0);
  EXPECT_EQ(summary.spread, 0.0);  // one slice in a hundred is no spread
}

TEST(SummarizeSlices, SpreadsFromTheTenthToTheNinetiethPercentile) {
  std::vector<double> slices;
  for (int i = 0; i <= 100; ++i) slices.push_back(100.0 + i);
  const SliceSummary summary = summarize_slices(slices);
  EXPECT_DOUBLE_EQ(summary.median_ns, 150.0);
  EXPECT_DOUBLE_EQ(summary.spread, 80.0 / 150.0);
}

TEST(ProbeNoise, SpinsForTheTimeItIsGiven) {
  const ProbeResult probe = probe_noise(milliseconds(20));
  EXPECT_GE(probe.seconds, 0.02);
  EXPECT_GE(probe.slices.slices, 1);
  EXPECT_GT(probe.slices.median_ns, 0);
  EXPECT_GT(probe.clock.step_ns, 0);
  EXPECT_GT(probe.clock.read_ns, 0);
  EXPECT_GE(probe.involuntary_switches, 0);
}

}  // namespace
}  // namespace steelyard::bench::noise_probe_test
