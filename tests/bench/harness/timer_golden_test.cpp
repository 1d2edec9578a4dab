// What PyTorch's Timer yields on the mock clock of its own tests, which was computed with numpy.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "bench/harness/timer.hpp"
#include "tests/bench/harness/mock_clock.hpp"

namespace steelyard::timer_golden_test {
namespace {

constexpr double kCudaRead = 10e-6;
constexpr double kRead = 100e-9;

Timer mocked(double run_seconds, double read_seconds = kRead) {
  TimerOptions options;
  options.rule = TimerRule::reference;
  options.clock = std::make_shared<MockClock>(run_seconds, read_seconds);
  return Timer([] {}, std::move(options));
}

// A published row: what is printed of it, in the unit it is printed in.
struct Row {
  double run_seconds;
  double read_seconds;
  double unit;
  double median;
  double spread;
  double p25;  // 0: not published
  double p75;
  std::size_t blocks;
  std::int64_t runs;
};

void expect_row(const TaskMeasurement& measured, const Row& row) {
  const auto printed = [&row](double seconds) { return std::round(seconds / row.unit * 100) / 100; };
  EXPECT_EQ(measured.raw_times.size(), row.blocks);
  EXPECT_EQ(measured.runs_per_time, row.runs);
  EXPECT_TRUE(measured.runs_of_times.empty());
  EXPECT_DOUBLE_EQ(printed(*measured.median()), row.median);
  EXPECT_DOUBLE_EQ(printed(*measured.interquartile_range()), row.spread);
  if (row.p25 == 0) return;
  EXPECT_DOUBLE_EQ(printed(*measured.p25()), row.p25);
  EXPECT_DOUBLE_EQ(printed(*measured.p75()), row.p75);
}

TEST(TimerGolden, BlockedMediansAreEqualToTheLastBit) {
  const std::vector<std::array<double, 3>> rows{{8e-9, kRead, 7.983151323215967e-09},
                                                {4e-6, kRead, 3.9791192787009905e-06},
                                                {20e-6, kRead, 1.9974413711400142e-05},
                                                {8e-9, kCudaRead, 7.91509134109237e-09}};
  for (const auto& [run_seconds, read_seconds, median] : rows) {
    const auto measured = mocked(run_seconds, read_seconds).blocked_autorange({.min_run_time = seconds(10)});
    ASSERT_TRUE(measured) << measured.error().text();
    EXPECT_EQ(*measured->median(), median) << run_seconds;
  }
}

TEST(TimerGolden, BlockedRowsAreThoseThatNumpyGives) {
  const std::vector<Row> rows{{8e-9, kRead, 1e-9, 7.98, 0.52, 7.74, 8.26, 125, 10'000'000},
                              {4e-6, kRead, 1e-6, 3.98, 0.27, 3.85, 4.12, 252, 10'000},
                              {20e-6, kRead, 1e-6, 19.97, 1.35, 19.31, 20.65, 501, 1'000},
                              {8e-9, kCudaRead, 1e-9, 7.92, 0.43, 0, 0, 13, 100'000'000},
                              {4e-6, kCudaRead, 1e-6, 4.04, 0.30, 0, 0, 25, 100'000},
                              {5e-6, kCudaRead, 1e-6, 4.98, 0.31, 0, 0, 20, 100'000}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.run_seconds);
    const auto measured = mocked(row.run_seconds, row.read_seconds).blocked_autorange({.min_run_time = seconds(10)});
    ASSERT_TRUE(measured) << measured.error().text();
    expect_row(*measured, row);
  }
}

TEST(TimerGolden, BlockedDefaultIsThatOfTheReference) {
  const auto measured = mocked(10e-6).blocked_autorange();
  ASSERT_TRUE(measured) << measured.error().text();
  expect_row(*measured, {10e-6, kRead, 1e-6, 10.06, 0.54, 9.73, 10.27, 20, 1'000});
}

TEST(TimerGolden, AdaptiveRowsAreThoseThatNumpyGives) {
  const std::vector<Row> rows{
      {8e-9, kRead, 1e-9, 7.86, 0.71, 0, 0, 6, 1'000'000},   {4e-6, kRead, 1e-6, 4.16, 0.22, 0, 0, 4, 1'000},
      {20e-6, kRead, 1e-6, 20.79, 1.09, 0, 0, 4, 1'000},     {8e-9, kCudaRead, 1e-9, 7.75, 0.57, 0, 0, 4, 10'000'000},
      {4e-6, kCudaRead, 1e-6, 4.09, 0.38, 0, 0, 4, 100'000}, {5e-6, kCudaRead, 1e-6, 5.01, 0.28, 0, 0, 4, 10'000}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.run_seconds);
    const auto measured = mocked(row.run_seconds, row.read_seconds).adaptive_autorange();
    ASSERT_TRUE(measured) << measured.error().text();
    expect_row(*measured, row);
  }
}

}  // namespace
}  // namespace steelyard::timer_golden_test
