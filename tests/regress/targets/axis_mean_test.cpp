#include "regress/targets/axis_mean.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/model/benchmark_id.hpp"
#include "regress/targets/parse_target.hpp"

namespace steelyard {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

BenchmarkRates point(const std::string& name, std::vector<double> bandwidth, double bytes) {
  BenchmarkRates rates;
  rates.id = parse_google_benchmark_name(name);
  rates.benchmark = name;
  rates.bandwidth = std::move(bandwidth);
  rates.byte_count = bytes;
  return rates;
}

Target over(const std::string& axis, const std::string& text = "0.5 of bandwidth") {
  Target target = parse_target(text, "here").value();
  target.over = axis;
  return target;
}

TEST(AxisMean, IsAllBytesOverAllTime) {
  const BenchmarkRates small = point("gemv/n:1", {10, 20}, 100);
  const BenchmarkRates large = point("gemv/n:2", {40, 40}, 300);
  const AxisMean mean = mean_over_axis({&small, &large}, over("n"));
  EXPECT_EQ(mean.why_none, "");
  EXPECT_EQ(mean.rates.benchmark, "gemv/n:*");
  EXPECT_THAT(mean.rates.bandwidth,
              ElementsAre(DoubleEq(400 / (100.0 / 10 + 300.0 / 40)), DoubleEq(400 / (100.0 / 20 + 300.0 / 40))));
}

TEST(AxisMean, OfOnePointIsThatPoint) {
  const BenchmarkRates only = point("gemv/n:1", {10, 20}, 100);
  EXPECT_THAT(mean_over_axis({&only}, over("n")).rates.bandwidth, ElementsAre(DoubleEq(10), DoubleEq(20)));
}

TEST(AxisMean, HasAsManyInvocationsAsThePointWithTheFewest) {
  const BenchmarkRates one = point("gemv/n:1", {10, 10, 10}, 100);
  const BenchmarkRates other = point("gemv/n:2", {10}, 100);
  EXPECT_THAT(mean_over_axis({&one, &other}, over("n")).rates.bandwidth, ElementsAre(DoubleEq(10)));
}

TEST(AxisMean, IsAbsentWhereAPointCannotEnter) {
  const BenchmarkRates whole = point("gemv/n:1", {10}, 100);
  const BenchmarkRates no_rate = point("gemv/n:2", {}, 100);
  EXPECT_THAT(mean_over_axis({&whole, &no_rate}, over("n")).why_none, HasSubstr("gemv/n:2: the benchmark reports no"));
  BenchmarkRates no_time = whole;
  no_time.byte_count.reset();
  EXPECT_THAT(mean_over_axis({&whole, &no_time}, over("n")).why_none, HasSubstr("no real_time"));
  EXPECT_THAT(mean_over_axis({&whole}, over("d")).why_none, HasSubstr("no axis \"d\""));
  EXPECT_THAT(mean_over_axis({&whole}, over("n", "0.5 of roofline")).why_none, HasSubstr("hold bandwidth or flops"));
}

TEST(AxisMean, TellsItsPointsByTheSizeOfTheirNumbers) {
  const BenchmarkRates large = point("gemv/n:16384", {40e9}, 300);
  const BenchmarkRates small = point("gemv/n:1024", {10e9}, 100);
  TargetRow row;
  row.target = over("n");
  row.metric = "bandwidth";
  EXPECT_EQ(points_text({&large, &small}, row), "; by n: 1024 at 10.0 GB/s, 16384 at 40.0 GB/s");
  row.ceiling = Ceiling{};
  row.ceiling->value = 100e9;
  EXPECT_EQ(points_text({&large, &small}, row), "; by n: 1024 at 10 %, 16384 at 40 %");
}

TEST(AxisMean, ClockIsWeightedWithTheTime) {
  BenchmarkRates one = point("gemv/n:1", {10}, 100);
  BenchmarkRates other = point("gemv/n:2", {30}, 300);
  one.clock_hz = 1e9;
  other.clock_hz = 2e9;
  EXPECT_THAT(*mean_over_axis({&one, &other}, over("n")).rates.clock_hz, DoubleEq(1.5e9));
  other.clock_hz.reset();
  EXPECT_FALSE(mean_over_axis({&one, &other}, over("n")).rates.clock_hz);
}

}  // namespace
}  // namespace steelyard
