#include "ci/report/target_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "regress/targets/judge_targets.hpp"
#include "tests/regress/targets/sample_ceilings.hpp"

namespace steelyard::ci::target_text_test {
namespace {

using regress::BenchmarkRates;
using regress::parse_target;
using steelyard::sample::about;
using steelyard::sample::rates;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

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
  row.why.kind = TargetReason::Kind::interval;
  return row;
}

TEST(WhatWouldDo, AsksForTheSquareOfTheDistance) {
  // 10 % wide, 5 % away: four times as many.
  EXPECT_THAT(reason_text(undecided(105, 0.10, 100, 8)), HasSubstr("about 31 invocations would decide, there are 8"));
  EXPECT_THAT(reason_text(undecided(104.9, 0.05, 100, 3)), HasSubstr("about 6 invocations"));
  EXPECT_THAT(reason_text(undecided(100.1, 0.05, 100, 8)), HasSubstr("move the target"));
  EXPECT_THAT(reason_text(undecided(100, 0.05, 100, 8)), HasSubstr("move the target"));
}

TEST(WhatWouldDo, NoInvocationHelpsWhereTheCeilingIsTooUncertain) {
  TargetRow row = undecided(6.2e9, 0.001, 0.5, 8);
  row.target.of = Target::Of::bandwidth;
  row.ceiling = steelyard::sample::bandwidth("DRAM", "read", 1, 12e9, 0.1);
  row.utilization = 6.2 / 12;
  row.utilization_interval = Interval{0.46, 0.56};
  EXPECT_THAT(reason_text(row), HasSubstr("measure it again"));
}

TEST(NoRateText, SaysHowToReportOne) {
  TargetRow row;
  row.why.kind = TargetReason::Kind::no_rate;
  row.why.metric = "bandwidth";
  EXPECT_THAT(reason_text(row), HasSubstr("SetBytesProcessed"));
  row.why.metric = "flops";
  EXPECT_THAT(reason_text(row), HasSubstr("counter \"flops\""));
}

TargetRow judge(const BenchmarkRates& of, const std::string& target) {
  TargetRow row = steelyard::sample::judge(of, target);
  row.reason = reason_text(row);
  return row;
}

TEST(TargetReasonText, BetweenTheBoundsItIsUndecidedAndSaysWhatWouldDo) {
  const TargetRow near = judge(rates("gemv/f32", {}, about(8e9)), "0.665 of bandwidth");
  EXPECT_EQ(near.verdict, TargetVerdict::undecided);
  EXPECT_THAT(near.reason, HasSubstr("holds the target of 66.5 %; the ceiling itself is not known that well"));
  const TargetRow noisy = judge(rates("gemv/f32", {}, {7e9, 7.6e9, 7.9e9, 8.1e9, 8.4e9, 9e9}), "0.6 of bandwidth");
  EXPECT_EQ(noisy.verdict, TargetVerdict::undecided);
  EXPECT_THAT(noisy.reason, HasSubstr("about 10 invocations would decide, there are 6"));
}

TEST(TargetReasonText, WhatIsNotKnownIsUndecidedAndNamed) {
  EXPECT_THAT(judge(rates("x/f32", {}, {8e9}), "0.6 of bandwidth").reason, HasSubstr("one invocation"));
  EXPECT_THAT(judge(rates("x/f32", {}, {}), "0.6 of bandwidth").reason, HasSubstr("reports no bandwidth"));
  EXPECT_THAT(judge(rates("x/f32", {}, about(8e9)), "0.6 of flops").reason, HasSubstr("reports no flops"));
  EXPECT_THAT(judge(rates("x", about(8e9), {}), "0.6 of flops").reason, HasSubstr("dtype"));
  EXPECT_THAT(judge(rates("x/f32", {}, about(8e9)), "0.6 of L3 bandwidth").reason, HasSubstr("no bandwidth of L3"));
  EXPECT_THAT(judge(rates("x/f32", about(8e9), {}), "0.6 of roofline").reason, HasSubstr("reports no bandwidth"));
  EXPECT_THAT(judge(rates("x", about(8e9), about(8e9)), "0.6 of roofline").reason, HasSubstr("dtype"));
  BenchmarkRates failed = rates("x", {}, {});
  failed.failure = "exit status 1";
  EXPECT_THAT(judge(failed, "1 GB/s").reason, HasSubstr("it yielded nothing: exit status 1"));
  for (const char* target : {"0.6 of flops", "0.6 of roofline"}) {
    EXPECT_EQ(judge(rates("x", about(8e9), about(8e9)), target).verdict, TargetVerdict::undecided);
  }
}

TEST(TargetWarnings, ManyDoubtsAreFewLines) {
  regress::TargetQuestion asked;
  asked.devices = steelyard::sample::ceilings();
  std::vector<BenchmarkRates> many;
  for (int i = 0; i < 20; ++i) many.push_back(rates("x" + std::to_string(i) + "/f32", about(200e9), about(40e9)));
  const std::vector<std::string> warnings = target_warnings(regress::judge_targets(many, asked));
  ASSERT_THAT(warnings, SizeIs(8));
  EXPECT_THAT(warnings[6], HasSubstr("14 more utilizations above 100 %"));
  EXPECT_THAT(warnings[7], HasSubstr("and 17 more: more bytes than DRAM gives"));
}

TEST(TargetWarnings, MoreThanDramGivesIsADoubtWhereTheLevelWasDeclared) {
  regress::TargetQuestion asked;
  asked.devices = steelyard::sample::ceilings();
  const std::vector<BenchmarkRates> some{rates("a/f32", {}, about(14e9))};
  const auto warnings = [&] { return target_warnings(regress::judge_targets(some, asked)); };
  ASSERT_THAT(warnings(), SizeIs(1));
  EXPECT_THAT(warnings()[0], HasSubstr("a/f32: more bytes than DRAM gives"));
  asked.configured = {{"a*", parse_target("0.5 of DRAM bandwidth", "").value()}};
  EXPECT_THAT(warnings().at(0), HasSubstr("a/f32: 117 % of the ceiling"));
}

TEST(TargetReasonText, WhatIsMissedBesideAnotherProcessMayBeItsDoing) {
  regress::TargetQuestion asked;
  asked.devices = steelyard::sample::ceilings();
  asked.beside_another = true;
  asked.configured = {{"*", parse_target("15 GB/s", "here").value()}};
  const TargetReport report = regress::judge_targets({rates("gemv/f32", {}, about(4e9))}, asked);
  EXPECT_THAT(reason_text(report.targets.at(0)),
              AllOf(HasSubstr("below 15.0 GB/s"), HasSubstr("measure alone (--layout interleaved)")));
  EXPECT_THAT(target_warnings(report).at(0), HasSubstr("alone it may be higher"));
}

TEST(TargetReasonText, AMeanTellsItsPointsAndWhatItLacks) {
  TargetRow row = undecided(105, 0.01, 100, 8);
  row.verdict = TargetVerdict::met;
  row.target.over = "n";
  row.why.points = {{"1024", 10e9}, {"16384", 40e9}};
  EXPECT_THAT(reason_text(row), HasSubstr("; by n: 1024 at 10.0 GB/s, 16384 at 40.0 GB/s"));
  row.target.of = Target::Of::bandwidth;
  row.utilization = 0.5;
  row.ceiling = Ceiling{};
  row.ceiling->value = 100e9;
  EXPECT_THAT(reason_text(row), HasSubstr("; by n: 1024 at 10 %, 16384 at 40 %"));
  row.why = {};
  row.why.kind = TargetReason::Kind::no_rate;
  row.why.point = "gemv/n:2";
  EXPECT_THAT(reason_text(row), HasSubstr("gemv/n:2: the benchmark reports no bandwidth"));
  row.why.kind = TargetReason::Kind::no_time;
  EXPECT_THAT(reason_text(row), HasSubstr("no real_time"));
  row.why = {};
  row.why.kind = TargetReason::Kind::no_axis;
  EXPECT_THAT(reason_text(row), HasSubstr("no axis \"n\""));
  row.why.kind = TargetReason::Kind::mean_of_rooflines;
  EXPECT_THAT(reason_text(row), HasSubstr("hold bandwidth or flops"));
  row.why.kind = TargetReason::Kind::ceilings_differ;
  EXPECT_THAT(reason_text(row), HasSubstr("a mean over \"n\" is a share of none of them"));
  row.why.kind = TargetReason::Kind::no_benchmark;
  EXPECT_THAT(reason_text(row), HasSubstr("no benchmark of this run"));
}

TEST(TargetReasonText, IsThatOfTheRowWhereNothingElseIsKnown) {
  TargetRow row;
  row.reason = "the label cannot be read";
  EXPECT_EQ(reason_text(row), "the label cannot be read");
}

TEST(TargetReasonText, AVerdictSaysWhatItStandsOn) {
  const BenchmarkRates gemv = rates("gemv/f32", {}, about(8e9));
  EXPECT_THAT(judge(gemv, "0.6 of bandwidth").reason,
              HasSubstr("66.7 % of DRAM read (65.9 % to 67.4 %), at least 60 %"));
  EXPECT_THAT(judge(gemv, "0.7 of bandwidth").reason, HasSubstr("below 70 %"));
  EXPECT_THAT(judge(rates("x", about(50e9), {}), "40 Gflop/s").reason,
              HasSubstr("50.0 Gflop/s (49.8 Gflop/s to 50.2 Gflop/s), at least 40.0 Gflop/s"));
  EXPECT_THAT(judge(rates("x/f32", {}, about(12.6e9)), "0.6 of bandwidth").reason,
              HasSubstr("105 % of the ceiling (DRAM read) is more than there can be"));
  EXPECT_THAT(judge(rates("x/f32", {}, about(15e9)), "0.6 of bandwidth").reason, HasSubstr("error of measurement"));
  TargetRow unknown;
  unknown.why.kind = TargetReason::Kind::unknown_spread;
  EXPECT_THAT(reason_text(unknown), HasSubstr("too few times to know its spread"));
}

TEST(MissingCeilingText, SaysWhatWasLookedForAndWhatThereIs) {
  MissingCeiling missing;
  missing.device = "CPU";
  EXPECT_THAT(missing_text(missing), HasSubstr("`steelyard targets ceilings` measures them"));
  missing.device = "abacus";
  EXPECT_THAT(missing_text(missing), HasSubstr("the device \"abacus\""));
  missing.why = MissingCeiling::Why::name;
  missing.name = "L3";
  EXPECT_EQ(missing_text(missing),
            "no bandwidth of L3 is known of this device; `steelyard targets ceilings` measures them");
  missing.known = {"DRAM", "L2"};
  EXPECT_EQ(missing_text(missing), "no bandwidth of L3 is known of this device, only of DRAM, L2");
  missing.kind = CeilingKind::arithmetic;
  missing.name = "bf16";
  missing.known = {"f32", "f64"};
  EXPECT_EQ(missing_text(missing), "no arithmetic ceiling of bf16 is known of this device, only of f32, f64");
  missing.why = MissingCeiling::Why::threads;
  missing.threads = 3;
  missing.known = {"1", "2"};
  EXPECT_THAT(missing_text(missing),
              HasSubstr("the ceiling of bf16 arithmetic was measured with 1, 2 threads, not with 3; run"));
  missing.why = MissingCeiling::Why::rate;
  EXPECT_THAT(missing_text(missing), HasSubstr("bf16 arithmetic is no rate above 0"));
  missing.why = MissingCeiling::Why::unnamed;
  EXPECT_THAT(missing_text(missing), HasSubstr("declare dtype"));
  missing.kind = CeilingKind::bandwidth;
  missing.name = "DRAM";
  missing.access = "copy";
  missing.why = MissingCeiling::Why::source;
  missing.source = "datasheet";
  EXPECT_THAT(missing_text(missing), HasSubstr("no datasheet with a ceiling of DRAM copy bandwidth is known"));
  missing.source = "measured";
  EXPECT_THAT(missing_text(missing), HasSubstr("no measured ceiling of DRAM copy bandwidth is known"));
  missing.why = MissingCeiling::Why::access;
  missing.access = "triad";
  missing.known = {"read"};
  EXPECT_THAT(missing_text(missing), HasSubstr("the access triad is known, only of read"));
}

TEST(UtilizationDoubt, WarnsAboveAHundredAndRefusesAboveAHundredAndFifteen) {
  const Ceiling dram = steelyard::sample::bandwidth("DRAM", "read", 1, 12e9);
  EXPECT_EQ(utilization_doubt(1.0, dram), "");
  EXPECT_THAT(utilization_doubt(1.05, dram), HasSubstr("105 % of the ceiling (DRAM read) is more than there can be"));
  EXPECT_THAT(utilization_doubt(1.05, dram), HasSubstr("declare its level"));
  EXPECT_THAT(utilization_doubt(1.15, dram), HasSubstr("more than there can be"));
  EXPECT_THAT(utilization_doubt(1.151, dram), HasSubstr("is an error of measurement"));
  EXPECT_EQ(utilization_doubt(1.2, steelyard::sample::arithmetic("f32", 1, 1)).find("level"), std::string::npos);
}

}  // namespace
}  // namespace steelyard::ci::target_text_test
