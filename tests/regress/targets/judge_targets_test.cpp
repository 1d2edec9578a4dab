#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "bench/model/benchmark_id.hpp"
#include "regress/targets/declared_target.hpp"
#include "regress/targets/judge_targets.hpp"
#include "tests/regress/targets/sample_ceilings.hpp"

namespace steelyard::regress::judge_targets_test {
namespace {

using sample::about;
using sample::judge;
using sample::rates;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using Kind = TargetReason::Kind;

TEST(JudgeTarget, MetAndMissedNeedTheWholeInterval) {
  const BenchmarkRates gemv = rates("gemv/f32", {}, about(8e9));  // 66.7 % of 12 GB/s
  const TargetRow met = judge(gemv, "0.6 of bandwidth");
  EXPECT_EQ(met.verdict, TargetVerdict::met) << met.reason;
  EXPECT_NEAR(*met.utilization, 2.0 / 3, 1e-9);
  EXPECT_EQ(met.metric, "bandwidth");
  EXPECT_EQ(met.ceiling->level, "DRAM");
  const TargetRow missed = judge(gemv, "0.7 of bandwidth");
  EXPECT_EQ(missed.verdict, TargetVerdict::missed);
  EXPECT_EQ(missed.why.kind, Kind::interval);
  const TargetRow near = judge(gemv, "0.665 of bandwidth");
  EXPECT_EQ(near.verdict, TargetVerdict::undecided);
  EXPECT_EQ(near.why.kind, Kind::interval);
}

TEST(JudgeTarget, EqualToTheTargetIsMet) {
  const BenchmarkRates tied = rates("x", {}, std::vector<double>(8, 12e9));
  EXPECT_EQ(judge(tied, "12 GB/s").verdict, TargetVerdict::met);
}

TEST(JudgeTarget, ARateNeedsNoCeiling) {
  const BenchmarkRates of = rates("x", about(50e9), {});
  const TargetRow met = judge_target(of, parse_target("40 Gflop/s", "").value(), {}, {});
  EXPECT_EQ(met.verdict, TargetVerdict::met);
  EXPECT_FALSE(met.ceiling);
  EXPECT_FALSE(met.utilization);
  EXPECT_EQ(judge(of, "60 Gflop/s").verdict, TargetVerdict::missed);
}

TEST(JudgeTarget, WhatIsNotKnownIsUndecidedAndSaysWhat) {
  const auto why = [](const BenchmarkRates& of, const std::string& target) {
    const TargetRow row = judge(of, target);
    EXPECT_EQ(row.verdict, TargetVerdict::undecided) << target;
    return row.why;
  };
  EXPECT_EQ(why(rates("x/f32", {}, {8e9}), "0.6 of bandwidth").kind, Kind::one_invocation);
  for (const auto& [reason, metric] : {std::pair(why(rates("x/f32", {}, {}), "0.6 of bandwidth"), "bandwidth"),
                                       {why(rates("x/f32", {}, about(8e9)), "0.6 of flops"), "flops"},
                                       {why(rates("x/f32", about(8e9), {}), "0.6 of roofline"), "bandwidth"}}) {
    EXPECT_EQ(reason.kind, Kind::no_rate);
    EXPECT_EQ(reason.metric, metric);
  }
  for (const char* target : {"0.6 of flops", "0.6 of roofline"}) {
    const TargetReason unnamed = why(rates("x", about(8e9), about(8e9)), target);
    EXPECT_EQ(unnamed.kind, Kind::no_ceiling);
    EXPECT_EQ(unnamed.missing.value().why, MissingCeiling::Why::unnamed);
  }
  EXPECT_EQ(why(rates("x/f32", {}, about(8e9)), "0.6 of L3 bandwidth").missing.value().name, "L3");
  BenchmarkRates failed = rates("x", {}, {});
  failed.failure = "exit status 1";
  EXPECT_EQ(why(failed, "1 GB/s").failure, "exit status 1");
}

TEST(JudgeTarget, TheRooflineIsTheLowerOfBothBounds) {
  // Intensity 1: memory bounds, at 12 GB/s. Intensity 100: arithmetic, at 120 Gflop/s.
  const TargetRow low = judge(rates("x/f32", about(9e9), about(9e9)), "0.7 of roofline");
  EXPECT_EQ(low.verdict, TargetVerdict::met) << low.reason;
  EXPECT_EQ(low.metric, "bandwidth");
  EXPECT_EQ(low.bound, "memory");
  EXPECT_NEAR(*low.utilization, 0.75, 1e-9);
  const TargetRow high = judge(rates("x/f32", about(90e9), about(0.9e9)), "0.8 of roofline");
  EXPECT_EQ(high.verdict, TargetVerdict::missed) << high.reason;
  EXPECT_EQ(high.metric, "flops");
  EXPECT_EQ(high.bound, "arithmetic");
  EXPECT_EQ(high.ceiling->dtype, "f32");
}

TEST(JudgeTarget, AboveTheCeilingItWarnsAndFarAboveItIsNoResult) {
  const TargetRow above = judge(rates("x/f32", {}, about(12.6e9)), "0.6 of bandwidth");
  EXPECT_EQ(above.verdict, TargetVerdict::met);
  EXPECT_EQ(above.why.kind, Kind::interval);
  const TargetRow impossible = judge(rates("x/f32", {}, about(15e9)), "0.6 of bandwidth");
  EXPECT_EQ(impossible.verdict, TargetVerdict::undecided);
  EXPECT_EQ(impossible.why.kind, Kind::measurement_error);
}

TEST(JudgeTarget, AMeasuredCeilingOfUnknownSpreadDecidesNothing) {
  auto devices = sample::ceilings();
  for (Ceiling& ceiling : devices[0].ceilings) ceiling.low.reset();
  const Target target = parse_target("0.5 of bandwidth", "").value();
  const TargetRow row = judge_target(rates("x/f32", {}, about(8e9)), target, {}, devices);
  EXPECT_EQ(row.verdict, TargetVerdict::undecided);
  EXPECT_EQ(row.why.kind, Kind::unknown_spread);
  BenchmarkRates of_device = rates("x/bf16", {}, about(800e9));
  of_device.id.device = "A100 40G";
  EXPECT_EQ(judge_target(of_device, target, ceiling_choice(of_device.id, {}), devices).verdict, TargetVerdict::met)
      << "a datasheet has none";
}

TEST(JudgeTarget, TheTargetsOwnWordsChooseTheCeiling) {
  Target target = parse_target("0.6 of L2 bandwidth", "here").value();
  EXPECT_EQ(judge_target(rates("x/f32", {}, about(80e9)), target, {}, sample::ceilings()).ceiling->level, "L2");
  target = parse_target("0.6 of bandwidth", "here").value();
  target.access = "triad";
  target.threads = 2;
  EXPECT_EQ(judge_target(rates("x/f32", {}, about(8e9)), target, {}, sample::ceilings()).ceiling->value, 18e9);
}

TargetQuestion question() {
  TargetQuestion asked;
  asked.devices = sample::ceilings();
  asked.configured = {{"gemv*", parse_target("0.6 of bandwidth", "steelyard.toml:3").value()},
                      {"gone*", parse_target("0.6 of bandwidth", "steelyard.toml:6").value()}};
  asked.of_program = {{"gemv/f32", parse_target("0.9 of bandwidth", "the program").value()},
                      {"softmax/f32", parse_target("0.9 of bandwidth", "the program").value()}};
  return asked;
}

TEST(JudgeTargets, WorstFirstAndTheProjectsFileBeforeTheProgram) {
  const TargetReport report =
      judge_targets({rates("gemv/f32", {}, about(8e9)), rates("softmax/f32", {}, about(8e9))}, question());
  ASSERT_THAT(report.targets, SizeIs(2));
  EXPECT_EQ(report.targets[0].benchmark, "softmax/f32");
  EXPECT_EQ(report.targets[0].verdict, TargetVerdict::missed);
  EXPECT_EQ(report.targets[1].target.where, "steelyard.toml:3");
  EXPECT_EQ(report.count_by_verdict(), (std::array<std::int64_t, 3>{1, 1, 0}));
  EXPECT_THAT(report.utilizations, SizeIs(2));
}

TEST(JudgeTargets, ATargetThatNoBenchmarkHasIsUndecided) {
  const std::vector<TargetRow> rows = unmatched_targets(question().configured, {rates("gemv/f32", {}, about(8e9))});
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_EQ(rows[0].benchmark, "gone*");
  EXPECT_EQ(rows[0].verdict, TargetVerdict::undecided);
  EXPECT_EQ(rows[0].why.kind, Kind::no_benchmark);
}

TEST(JudgeTargets, WhatIsMissedBesideAnotherProcessMayBeItsDoing) {
  TargetQuestion asked;
  asked.devices = sample::ceilings();
  asked.beside_another = true;
  const auto judged = [&](const std::string& target) {
    asked.configured = {{"*", parse_target(target, "here").value()}};
    return judge_targets({rates("gemv/f32", {}, about(4e9))}, asked);
  };
  const TargetReport missed = judged("15 GB/s");
  EXPECT_EQ(missed.targets.at(0).verdict, TargetVerdict::undecided);
  EXPECT_TRUE(missed.targets.at(0).why.beside_another);
  EXPECT_TRUE(missed.beside_another);
  EXPECT_EQ(judged("3 GB/s").targets.at(0).verdict, TargetVerdict::met) << "no neighbour helps";
  EXPECT_EQ(judged("17 GB/s").targets.at(0).verdict, TargetVerdict::missed) << "more than a neighbour can take";
  asked.beside_another = false;
  EXPECT_EQ(judged("15 GB/s").targets.at(0).verdict, TargetVerdict::missed);
}

TEST(JudgeTargets, UtilizationIsShownForWhatHasRatesWhereCeilingsAreKnown) {
  TargetQuestion asked;
  asked.devices = sample::ceilings();
  const std::vector<BenchmarkRates> some{rates("a/f32", {}, about(14e9)), rates("b", {}, {})};
  const TargetReport report = judge_targets(some, asked);
  ASSERT_THAT(report.utilizations, SizeIs(1));
  EXPECT_EQ(report.utilizations[0].benchmark, "a/f32");
  EXPECT_FALSE(report.utilizations[0].level_is_declared);
  asked.configured = {{"a*", parse_target("0.5 of DRAM bandwidth", "").value()}};
  EXPECT_TRUE(judge_targets(some, asked).utilizations.at(0).level_is_declared);
  asked.devices.clear();
  EXPECT_THAT(judge_targets(some, asked).utilizations, IsEmpty());
}

using ::testing::DoubleEq;
using ::testing::ElementsAre;

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
  EXPECT_FALSE(mean.why_none);
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
  const TargetReason rate = mean_over_axis({&whole, &no_rate}, over("n")).why_none.value();
  EXPECT_EQ(rate.kind, Kind::no_rate);
  EXPECT_EQ(rate.point, "gemv/n:2");
  BenchmarkRates no_time = whole;
  no_time.byte_count.reset();
  const TargetReason time = mean_over_axis({&whole, &no_time}, over("n")).why_none.value();
  EXPECT_EQ(time.kind, Kind::no_time);
  EXPECT_EQ(time.point, "gemv/n:1");
  EXPECT_EQ(mean_over_axis({&whole}, over("d")).why_none.value().kind, Kind::no_axis);
  EXPECT_EQ(mean_over_axis({&whole}, over("n", "0.5 of roofline")).why_none.value().kind, Kind::mean_of_rooflines);
}

TEST(AxisMean, TellsItsPointsByTheSizeOfTheirNumbers) {
  const BenchmarkRates large = point("gemv/n:16384", {40e9}, 300);
  const BenchmarkRates small = point("gemv/n:1024", {10e9}, 100);
  const std::vector<TargetReason::Point> points = points_of({&large, &small}, "n", "bandwidth");
  ASSERT_THAT(points, SizeIs(2));
  EXPECT_EQ(points[0], (TargetReason::Point{"1024", 10e9}));
  EXPECT_EQ(points[1], (TargetReason::Point{"16384", 40e9}));
}

// Half of its own ceiling each, which is no share of either.
TEST(AxisMean, IsAShareOfNoCeilingWhereItsPointsHaveDifferentOnes) {
  std::vector<BenchmarkRates> points;
  for (const auto& [dtype, flops] : {std::pair("f32", 60e9), {"f64", 30e9}}) {
    BenchmarkRates& one = points.emplace_back(point(std::string("gemm/dtype:") + dtype, {9e9, 9e9}, 100));
    one.flops = std::vector<double>(8, flops);
    one.flop_count = 1e9;
  }
  const auto judged = [&](const std::string& text) {
    TargetQuestion question;
    question.configured = {{"gemm/*", over("dtype", text)}};
    question.devices = sample::ceilings();
    return judge_targets(points, question).targets.at(0);
  };
  const TargetRow share = judged("0.4 of flops");
  EXPECT_EQ(share.verdict, TargetVerdict::undecided);
  EXPECT_EQ(share.why.kind, Kind::ceilings_differ);
  EXPECT_FALSE(share.utilization);
  EXPECT_TRUE(judged("0.4 of bandwidth").utilization) << "a dtype chooses no memory";
  EXPECT_NE(judged("40 Gflop/s").why.kind, Kind::ceilings_differ) << "a rate is held against no ceiling";
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

}  // namespace steelyard::regress::judge_targets_test
