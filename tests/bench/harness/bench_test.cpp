#include "bench/harness/bench.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "tests/bench/harness/mock_clock.hpp"

namespace steelyard::bench_test {
namespace {

using testing::HasSubstr;

BenchOptions mocked(double run_seconds, int trials) {
  BenchOptions options;
  options.trials = trials;
  options.timer.clock = std::make_shared<MockClock>(run_seconds);
  return options;
}

TEST(Bench, SaysHowManyTheMedianAndHowSure) {
  const auto report = bench(
      "matmul 1024", [] {}, mocked(14e-3, 10));
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_EQ(report->measurement.raw_times.size(), 10U);
  EXPECT_EQ(report->interval.median, *report->measurement.median());
  ASSERT_TRUE(report->interval.bounds);
  EXPECT_LT(report->interval.bounds->low, report->interval.median);
  EXPECT_THAT(report->text(), testing::MatchesRegex("matmul 1024: median 1[0-9.]+ ms of 10 trials, 95 % interval "
                                                    "1[0-9.]+ to 1[0-9.]+ ms"));
}

TEST(Bench, ThreeTrialsHaveAMedianAndNoInterval) {
  const auto report = bench(
      "short", [] {}, mocked(1e-3, 3));
  ASSERT_TRUE(report);
  EXPECT_THAT(report->text(), testing::EndsWith(" of 3 trials, no interval: 3 times: too few to enclose the median"));
}

TEST(Bench, WarmsUpFirstAndRunsEachTrialOnce) {
  int runs = 0;
  BenchOptions options;
  options.warmups = 4;
  options.trials = 3;
  ASSERT_TRUE(bench(
      "count", [&runs] { ++runs; }, options));
  EXPECT_EQ(runs, 7);
}

TEST(Bench, CountsWithoutSenseAndThrowsAreErrors) {
  const auto none = bench(
      "f", [] {}, mocked(1, 0));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().text(), "timer: trials: found 0, wanted at least 1");
  BenchOptions negative;
  negative.warmups = -1;
  EXPECT_THAT(bench(
                  "f", [] {}, negative)
                  .error()
                  .text(),
              HasSubstr("warmups: found -1"));
  EXPECT_THAT(bench("f", [] { throw std::runtime_error("boom"); }).error().text(), HasSubstr("timer of \"f\": boom"));
}

// Cost c n^2: the medians of a doubling sweep grow by 4.
TEST(Bench, MediansFollowTheCostOfTheWork) {
  std::vector<double> medians;
  for (const double n : {64.0, 128.0, 256.0, 512.0}) {
    medians.push_back(bench(
                          "square", [] {}, mocked(1e-6 * n * n, 200))
                          ->interval.median);
  }
  for (std::size_t i = 1; i < medians.size(); ++i) EXPECT_NEAR(std::log2(medians[i] / medians[i - 1]), 2, 0.02);
}

}  // namespace
}  // namespace steelyard::bench_test
