#include <cmath>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "regress/targets/utilization.hpp"
#include "tests/regress/targets/sample_ceilings.hpp"

namespace steelyard::regress::utilization_test {
namespace {

using sample::rates;

UtilizationRow row_of(const BenchmarkRates& of) {
  return utilization_row(of, ceiling_choice(of.id, {}), sample::ceilings());
}

TEST(Utilization, DoublingTheTimeHalvesIt) {
  const double fast = *row_of(rates("gemv/f32", {3e9}, {6e9})).bandwidth->utilization;
  const double slow = *row_of(rates("gemv/f32", {1.5e9}, {3e9})).bandwidth->utilization;
  EXPECT_DOUBLE_EQ(fast, 0.5);
  EXPECT_DOUBLE_EQ(slow, fast / 2);
}

// A multilayer perceptron of batch 1 and dim 4096 on an A100 40G: 4 * 14336 * 4096 flops and as many bytes, 151.05 us.
TEST(Utilization, OfABatchOfOneOnADatasheetsDevice) {
  const double cost = 4.0 * 14336 * 4096;
  BenchmarkRates mlp = rates("mlp/bf16", {cost / 151.05e-6}, {cost / 151.05e-6});
  mlp.id.device = "A100 40G";
  const UtilizationRow row = row_of(mlp);
  EXPECT_NEAR(*row.flops->utilization, 0.00498, 0.00001);
  EXPECT_NEAR(*row.bandwidth->utilization, 1.0, 0.001);
  EXPECT_EQ(row.bound, "memory");
}

TEST(Utilization, TheBoundChangesAtTheRidge) {
  // f32 120 Gflop/s over DRAM 12 GB/s: 10 flop per byte.
  EXPECT_EQ(row_of(rates("x/f32", {9.9e9}, {1e9})).bound, "memory");
  EXPECT_EQ(row_of(rates("x/f32", {10e9}, {1e9})).bound, "arithmetic");
  EXPECT_EQ(row_of(rates("x", {10e9}, {1e9})).bound, "") << "no dtype, no ridge";
  EXPECT_EQ(row_of(rates("x/f32", {}, {1e9})).bound, "");
}

TEST(Utilization, WhatIsFarBelowBothRoofsIsBoundByNeither) {
  EXPECT_EQ(row_of(rates("x/f32", {0.24e9}, {0.108e9})).bound, kBoundByNeither) << ".2 % and .9 %";
  EXPECT_EQ(row_of(rates("x/f32", {0.61e9}, {0.61e9})).bound, "memory") << "5.1 % of 12 GB/s";
  EXPECT_EQ(row_of(rates("x/f32", {6.1e9}, {0.1e9})).bound, "arithmetic") << "5.1 % of 120 Gflop/s";
}

TEST(Utilization, TheBoundIsUnknownWhereTheDataAreInAFasterLevel) {
  EXPECT_EQ(row_of(rates("x/f32", {13e9}, {13e9})).bound, "memory");
  EXPECT_EQ(row_of(rates("x/f32", {40e9}, {40e9})).bound, "") << "DRAM gives 12 GB/s";
  EXPECT_EQ(row_of(rates("x/f32", {400e9}, {40e9})).bound, "arithmetic") << "at any level";
}

TEST(Utilization, IsAbsentWithItsReasonWhereTheCeilingIsUnknown) {
  const UtilizationRow row = row_of(rates("x", {10e9}, {1e9}));
  EXPECT_FALSE(row.flops->utilization);
  EXPECT_EQ(row.flops->missing->why, MissingCeiling::Why::unnamed);
  EXPECT_DOUBLE_EQ(row.flops->achieved, 10e9) << "the rate stands by itself";
  EXPECT_TRUE(row.bandwidth->utilization);
  EXPECT_FALSE(row_of(rates("x/f32", {}, {1e9})).flops);
}

TEST(Utilization, ItsIntervalCarriesTheCeilingsSpread) {
  const UtilizationRow tied = row_of(rates("x/f32", {}, {6e9, 6e9, 6e9, 6e9, 6e9, 6e9}));
  ASSERT_TRUE(tied.bandwidth->utilization_interval);
  EXPECT_NEAR(tied.bandwidth->utilization_interval->low, 0.5 / 1.01, 1e-9);
  EXPECT_NEAR(tied.bandwidth->utilization_interval->high, 0.5 / 0.99, 1e-9);
  EXPECT_FALSE(row_of(rates("x/f32", {}, {6e9})).bandwidth->utilization_interval) << "one invocation";
}

std::vector<double> ascending(int n) {
  std::vector<double> values(static_cast<std::size_t>(n));
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

TEST(EstimateRate, OneInvocationHasNoInterval) {
  const RateEstimate estimate = estimate_rate({5});
  EXPECT_EQ(estimate.value, 5);
  EXPECT_FALSE(estimate.interval);
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

}  // namespace steelyard::regress::utilization_test
