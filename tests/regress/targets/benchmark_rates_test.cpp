#include "regress/targets/benchmark_rates.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace steelyard::regress::benchmark_rates_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Measurement measured(const std::string& benchmark, const std::string& metric,
                     std::vector<std::vector<double>> invocations) {
  Measurement measurement;
  measurement.benchmark = parse_google_benchmark_name(benchmark);
  measurement.metric.name = metric;
  for (std::size_t i = 0; i < invocations.size(); ++i) {
    if (!invocations[i].empty()) {
      measurement.invocations.push_back({static_cast<std::uint32_t>(i), std::move(invocations[i]), {}});
    }
  }
  return measurement;
}

TEST(BenchmarkRates, OneNumberForEachInvocationWhichIsItsMedian) {
  steelyard::Run run;
  run.measurements = {measured("b", "flops", {{1, 5, 3}, {8}}), measured("b", "bandwidth", {{2, 2}, {4}})};
  const auto rates = rates_of(run);
  ASSERT_EQ(rates.size(), 1U);
  EXPECT_THAT(rates[0].flops, ElementsAre(3, 8));
  EXPECT_THAT(rates[0].bandwidth, ElementsAre(2, 4));
  EXPECT_DOUBLE_EQ(rates[0].intensity.value(), 1.75) << "the median of 3/2 and 8/4";
}

TEST(BenchmarkRates, IntensityIsOfInvocationsThatReportBoth) {
  steelyard::Run run;
  run.measurements = {measured("b", "flops", {{6}, {8}}), measured("b", "bandwidth", {{}, {4}, {1}})};
  EXPECT_DOUBLE_EQ(rates_of(run)[0].intensity.value(), 2);
  run.measurements.pop_back();
  EXPECT_FALSE(rates_of(run)[0].intensity);
}

TEST(BenchmarkRates, TheirOwnMetricsComeBeforeGoogleBenchmarksCounters) {
  steelyard::Run run;
  run.measurements = {measured("b", "bytes_per_second", {{1}}), measured("b", "bandwidth", {{2}}),
                      measured("c", "bytes_per_second", {{3}}), measured("c", "FLOPS", {{4}})};
  const auto rates = rates_of(run);
  EXPECT_THAT(rates[0].bandwidth, ElementsAre(2));
  EXPECT_THAT(rates[1].bandwidth, ElementsAre(3));
  EXPECT_THAT(rates[1].flops, ElementsAre(4));
}

TEST(BenchmarkRates, WhatIsNoRateIsLeftOut) {
  steelyard::Run run;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  run.measurements = {
      measured("b", "flops", {{0, nan, 7}, {-1}, {std::numeric_limits<double>::infinity()}, {1e25}, {1e-10}}),
      measured("c", "real_time", {{1}})};
  const auto rates = rates_of(run);
  EXPECT_THAT(rates[0].flops, ElementsAre(7));
  EXPECT_EQ(rates[1].benchmark, "c");
  EXPECT_THAT(rates[1].flops, IsEmpty());
}

TEST(BenchmarkRates, ABenchmarkThatOnlyFailedIsThereWithItsReason) {
  steelyard::Run run;
  run.measurements = {measured("b", "flops", {{7}})};
  run.failures = {{parse_google_benchmark_name("b"), "", 1, "crash"},
                  {parse_google_benchmark_name("c"), "", 0, "first"},
                  {parse_google_benchmark_name("c"), "", 1, "second"},
                  {{}, "", -1, "the program"}};
  const auto rates = rates_of(run);
  ASSERT_EQ(rates.size(), 2U);
  EXPECT_EQ(rates[0].failure, "");
  EXPECT_EQ(rates[1].failure, "first");
}

}  // namespace
}  // namespace steelyard::regress::benchmark_rates_test
