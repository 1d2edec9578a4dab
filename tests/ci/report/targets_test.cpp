#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/ceilings/measure_ceilings.hpp"
#include "ci/report/targets.hpp"

namespace steelyard::ci::targets_test {
namespace {

using testing::HasSubstr;
using testing::Not;

DeviceCeilings example() {
  DeviceCeilings device;
  device.device = "CPU";
  device.fingerprint = "0123456789abcdef";
  Ceiling peak;
  peak.kind = CeilingKind::arithmetic;
  peak.dtype = "f64";
  peak.threads = 2;
  peak.source = "measured";
  peak.how = "AVX-512 FMA";
  peak.samples = {246e9, 250e9, 252e9, 251e9, 249e9, 248e9, 250e9};
  peak.clock_samples = std::vector<double>(7, 4e9);
  peak.expected_per_cycle = 32;
  bench::settle(peak);
  Ceiling integers = peak;
  integers.dtype = "i8";
  integers.expected_per_cycle = 0;
  Ceiling triad;
  triad.level = "DRAM";
  triad.access = "triad-nt";
  triad.source = "measured";
  triad.how = "AVX-512";
  triad.samples = {20e9, 21e9, 22e9};
  bench::settle(triad);
  device.ceilings = {peak, integers, triad};
  device.absent = {{"f16", "the CPU has no AVX512-FP16"}};
  device.notes = {"measure again"};
  return device;
}

TEST(CeilingsReport, ShowsSpreadBestClockAndPartOfWhatIsExpected) {
  const std::string text = terminal_ceilings(example(), {false, false, 100});
  EXPECT_THAT(text, HasSubstr("machine 0123456789abcdef\n"));
  // 250 of 32 x 2 x 4 GHz = 256.
  EXPECT_THAT(text,
              HasSubstr("f64          2  250 Gflop/s  -1.6 +0.8 %  +0.8 %  4.00 GHz       97.7 %  AVX-512 FMA\n"));
  EXPECT_THAT(text,
              HasSubstr("i8           2    250 Gop/s  -1.6 +0.8 %  +0.8 %  4.00 GHz            -  AVX-512 FMA\n"));
}

TEST(CeilingsReport, TooFewRepetitionsHaveNoInterval) {
  const std::string text = terminal_ceilings(example(), {false, false, 100});
  EXPECT_THAT(text, HasSubstr("DRAM   triad-nt        1  21.0 GB/s     -  +4.8 %  AVX-512\n"));
}

TEST(CeilingsReport, NamesWhatIsAbsentAndTheNotes) {
  const std::string text = terminal_ceilings(example(), {false, false, 100});
  EXPECT_THAT(text, HasSubstr("absent  f16: the CPU has no AVX512-FP16\nnote    measure again\n"));
}

TEST(CeilingsReport, JsonIsInBaseUnitsWithEveryRepetition) {
  const std::string json = json_ceilings(example());
  EXPECT_THAT(json, HasSubstr("\"schema\": \"steelyard.ceilings/1\""));
  EXPECT_THAT(json, HasSubstr("\"value\": 250000000000.0"));
  EXPECT_THAT(json, HasSubstr("\"unit\": \"op/s\""));
  EXPECT_THAT(json, HasSubstr("\"clock_hz\": 4000000000.0"));
  EXPECT_THAT(json, HasSubstr("\"low\": null"));
  EXPECT_THAT(json, HasSubstr("20000000000.0,\n    21000000000.0,\n    22000000000.0"));
  EXPECT_THAT(json, HasSubstr("\"what\": \"f16\""));
}

TEST(CeilingsReport, ADatasheetHasNeitherSpreadNorThreads) {
  const bench::DatasheetRow* const row = bench::find_datasheet_row("A100 40G");
  ASSERT_NE(row, nullptr);
  const std::string json = json_datasheet({&row, 1});
  EXPECT_THAT(json, HasSubstr("\"threads\": null"));
  EXPECT_THAT(json, HasSubstr("\"source\": \"A100 datasheet 1758950-r4\""));
  EXPECT_THAT(json, Not(HasSubstr("\"low\"")));
}

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TargetRow row(const std::string& benchmark, TargetVerdict verdict) {
  TargetRow made;
  made.benchmark = benchmark;
  made.verdict = verdict;
  made.target.text = "0.6 of bandwidth";
  made.reason = "because of " + benchmark;
  return made;
}

TargetReport some() {
  TargetReport report;
  report.targets = {row("a|b", TargetVerdict::missed), row("b", TargetVerdict::undecided), row("c", TargetVerdict::met),
                    row("d", TargetVerdict::met)};
  return report;
}

TEST(TargetReportText, OfNothingIsNothing) {
  EXPECT_EQ(terminal_targets({}, {}), "");
  EXPECT_EQ(markdown_targets({}), "");
  EXPECT_EQ(target_summary({}), "");
}

TEST(TargetReportText, CountsWorstFirst) { EXPECT_EQ(target_summary(some()), "1 target missed, 1 undecided, 2 met"); }

TEST(TargetReportText, GivesEachVerdictItsReason) {
  EXPECT_EQ(terminal_targets(some(), {false, false, 80}),
            "x missed     a|b        0.6 of bandwidth\n"
            "             because of a|b\n"
            "? undecided  b          0.6 of bandwidth\n"
            "             because of b\n"
            "+ met        c          0.6 of bandwidth\n"
            "             because of c\n"
            "+ met        d          0.6 of bandwidth\n"
            "             because of d\n"
            "1 target missed, 1 undecided, 2 met\n");
}

TEST(TargetReportText, MarkdownFoldsWhatIsMetAndLetsNoNameFormat) {
  EXPECT_THAT(markdown_targets(some()),
              AllOf(HasSubstr("**Targets**: 1 target missed, 1 undecided, 2 met"), HasSubstr("missed | `a\\|b` |"),
                    HasSubstr("because of a\\|b"), HasSubstr("<details><summary>2 met</summary>")));
}

TEST(TargetReportText, WhatIsNotMetIsToldBeforeWhatFindsNoRoom) {
  TargetReport report;
  for (int i = 0; i < 1500; ++i) report.targets.push_back(row("n" + std::to_string(i), TargetVerdict::met));
  report.targets.push_back(row("worst", TargetVerdict::missed));
  EXPECT_THAT(markdown_targets(report), AllOf(HasSubstr("`worst`"), HasSubstr("1,441 more targets do not fit here")));
  const std::string page = html_targets(report);
  EXPECT_LT(page.find("worst"), page.find("n0<"));
  EXPECT_THAT(page, HasSubstr("<p>and 501 more targets: see the JSON</p>"));
  report.targets.resize(1000);
  EXPECT_THAT(html_targets(report), Not(HasSubstr("more target")));
}

TEST(TargetReportText, ManyTargetsLeaveRoomForTheRestOfAComment) {
  TargetReport report;
  for (int i = 0; i < 500; ++i) report.targets.push_back(row(std::string(150, 'n'), TargetVerdict::missed));
  for (TargetRow& one : report.targets) one.reason = std::string(600, 'r');
  EXPECT_LT(markdown_targets(report).size(), 60'000U);
  EXPECT_THAT(markdown_targets(report), HasSubstr("440 more targets do not fit here"));
}

TEST(TargetReportText, ACommentHasTheRateAndWhatBoundsIt) {
  TargetReport report;
  report.targets = {row("gemv", TargetVerdict::missed)};
  TargetRow& missed = report.targets[0];
  missed.metric = "bandwidth";
  missed.target.of = Target::Of::bandwidth;
  missed.achieved = 2.94e12;
  missed.bound = "memory";
  EXPECT_THAT(markdown_targets(report), HasSubstr("because of gemv; 2.94 TB/s; bound by memory |"));
}

TEST(TargetReportText, AboveTheErrorOfMeasurementThereIsNoFigure) {
  UtilizationRow row;
  row.benchmark = "gemv";
  row.bandwidth = RateUtilization{34e9, std::nullopt, Ceiling{}, 2.85, std::nullopt, std::nullopt};
  row.bandwidth->ceiling->kind = CeilingKind::bandwidth;
  row.bandwidth->ceiling->level = "DRAM";
  row.bandwidth->ceiling->threads = 1;
  row.bound = kBoundByNeither;
  TargetReport report;
  report.utilizations = {row};
  const std::string text = terminal_targets(report, {false, false, 120});
  EXPECT_THAT(text, AllOf(HasSubstr("no result: above 115 % of DRAM"), HasSubstr("neither")));
  EXPECT_EQ(text.find("285"), std::string::npos) << text;
  TargetRow target = targets_test::row("gemv", TargetVerdict::undecided);
  target.utilization = 2.85;
  target.utilization_interval = Interval{2.8, 2.9};
  report.targets = {target};
  const steelyard::Run run;
  EXPECT_THAT(json_checked_targets({{&run, report}}),
              AllOf(HasSubstr("bandwidth_utilization"), HasSubstr("\"utilization\": null"), Not(HasSubstr("2.8"))));
  report.utilizations[0].bandwidth->utilization = 1.15;
  EXPECT_THAT(terminal_targets(report, {false, false, 120}), HasSubstr("115 % of DRAM"));
  EXPECT_EQ(bound_text("memory"), "bound by memory");
  EXPECT_EQ(bound_text(std::string(kBoundByNeither)), "bound by neither memory nor arithmetic");
}

TEST(TargetReportText, UtilizationThatIsUnknownSaysWhyOnce) {
  UtilizationRow unknown;
  unknown.benchmark = "x";
  unknown.flops = RateUtilization{};
  unknown.flops->achieved = 4e9;
  unknown.flops->missing.emplace().why = MissingCeiling::Why::unnamed;
  TargetReport report;
  report.utilizations = {unknown, unknown};
  const std::string text = terminal_targets(report, {false, true, 100});
  EXPECT_THAT(text, AllOf(HasSubstr("4.00 Gflop/s"), HasSubstr("unknown: the benchmark does not say which dtype")));
  EXPECT_EQ(text.find("does not say"), text.rfind("does not say"));
}

}  // namespace

}  // namespace steelyard::ci::targets_test
