#include "ci/report/targets.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace steelyard {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

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

TEST(TargetReportText, UtilizationThatIsUnknownSaysWhyOnce) {
  UtilizationRow unknown;
  unknown.benchmark = "x";
  unknown.flops = RateUtilization{};
  unknown.flops->achieved = 4e9;
  unknown.flops->unknown = "no dtype is declared";
  TargetReport report;
  report.utilizations = {unknown, unknown};
  const std::string text = terminal_targets(report, {false, true, 100});
  EXPECT_THAT(text, AllOf(HasSubstr("4.00 Gflop/s"), HasSubstr("unknown: no dtype is declared")));
  EXPECT_EQ(text.find("no dtype"), text.rfind("no dtype"));
}

}  // namespace
}  // namespace steelyard
