#include "regress/targets/rate_interval.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace steelyard {
namespace {

std::vector<double> ascending(int n) {
  std::vector<double> values(static_cast<std::size_t>(n));
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

TEST(EstimateRate, OneInvocationHasNoInterval) {
  const RateEstimate estimate = estimate_rate({5});
  EXPECT_EQ(estimate.value, 5);
  EXPECT_FALSE(estimate.interval);
  EXPECT_EQ(estimate.invocations, 1);
}

// Ranks of the table of 95 % intervals of the median in Conover, Practical nonparametric statistics, 3rd edition, 1999.
TEST(EstimateRate, FromSixOnTheIntervalRunsBetweenOrderStatistics) {
  struct Row {
    int n;
    double low, high;
  };
  for (const Row row :
       {Row{6, 1, 6}, Row{8, 1, 8}, Row{9, 2, 8}, Row{12, 3, 10}, Row{15, 4, 12}, Row{20, 6, 15}, Row{25, 8, 18}}) {
    const RateEstimate estimate = estimate_rate(ascending(row.n));
    EXPECT_EQ(estimate.interval, (Interval{row.low, row.high})) << row.n;
    EXPECT_EQ(estimate.value, (row.n + 1) / 2.0);
  }
}

TEST(EstimateRate, LargeNumbersKeepToTheBinomial) {
  const RateEstimate below = estimate_rate(ascending(999));
  const RateEstimate above = estimate_rate(ascending(1001));
  EXPECT_NEAR(below.interval->low, above.interval->low, 2);
  EXPECT_NEAR(below.interval->high, above.interval->high, 4);
}

// log 1, log e^2: mean 1, standard error 1, t(0.975, 1) = 12.7062.
TEST(EstimateRate, BelowSixItIsStudentsTOnLogarithms) {
  const RateEstimate estimate = estimate_rate({1, std::exp(2.0)});
  EXPECT_NEAR(estimate.value, std::exp(1.0), 1e-12);
  EXPECT_NEAR(std::log(estimate.interval->low), 1 - 12.7062, 1e-4);
  EXPECT_NEAR(std::log(estimate.interval->high), 1 + 12.7062, 1e-4);
  const RateEstimate tied = estimate_rate({3, 3, 3});
  EXPECT_NEAR(tied.interval->low, 3, 1e-12);
  EXPECT_NEAR(tied.interval->high, 3, 1e-12);
}

TEST(EstimateRate, HoldsWhateverTheOrder) {
  EXPECT_EQ(estimate_rate({6, 1, 5, 2, 4, 3}).interval, estimate_rate({1, 2, 3, 4, 5, 6}).interval);
}

TEST(QuotientInterval, AddsBothWidthsAsSquaresOfLogarithms) {
  const UncertainRate top{10, Interval{10 / std::exp(0.03), 10 * std::exp(0.06)}};
  const UncertainRate bottom{20, Interval{20 / std::exp(0.08), 20 * std::exp(0.04)}};
  const Interval both = quotient_interval(top, bottom);
  EXPECT_NEAR(both.low, 0.5 * std::exp(-0.05), 1e-12) << "3 and 4";
  EXPECT_NEAR(both.high, 0.5 * std::exp(0.10), 1e-12) << "6 and 8";
}

TEST(QuotientInterval, AnAbsentIntervalHasNoWidth) {
  const Interval interval = quotient_interval({10, Interval{9, 12}}, {20, std::nullopt});
  EXPECT_NEAR(interval.low, 0.45, 1e-12);
  EXPECT_NEAR(interval.high, 0.6, 1e-12);
}

TEST(QuotientInterval, ABoundWithoutALogarithmGivesNone) {
  const Interval interval = quotient_interval({10, Interval{9, 11}}, {20, Interval{0, 30}});
  EXPECT_TRUE(std::isfinite(interval.low) && std::isfinite(interval.high));
}

}  // namespace
}  // namespace steelyard
