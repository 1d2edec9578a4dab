#include "ci/report/targets.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ci/report/charts/roofline.hpp"

namespace steelyard {
namespace {

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

Ceiling roof(CeilingKind kind, const std::string& name, double value) {
  Ceiling ceiling;
  ceiling.kind = kind;
  (kind == CeilingKind::arithmetic ? ceiling.dtype : ceiling.level) = name;
  ceiling.value = value;
  return ceiling;
}

Roofline two_points() {
  Roofline roofline;
  roofline.title = "Roofline of <b>";
  roofline.arithmetic = {roof(CeilingKind::arithmetic, "f32", 100e9)};
  roofline.bandwidth = {roof(CeilingKind::bandwidth, "DRAM", 10e9)};
  roofline.points = {{"low & slow", 0.5, 4e9, Interval{3e9, 5e9}, "80 % of DRAM"}, {"high", 50, 90e9, {}, ""}};
  return roofline;
}

TEST(RooflineFrame, HoldsPointsRidgesAndTheFeetOfTheSlopes) {
  const RooflineFrame frame = frame_of(two_points());
  EXPECT_LT(frame.least_intensity, 0.5);
  EXPECT_GT(frame.most_intensity, 50);
  EXPECT_LT(frame.least_rate, frame.least_intensity * 10e9 * 2);
  EXPECT_GT(frame.most_rate, 100e9);
}

TEST(RooflineFrame, OfNothingIsAFrameAllTheSame) {
  EXPECT_LT(frame_of({}).least_rate, frame_of({}).most_rate);
  EXPECT_THAT(svg_roofline({}), HasSubstr("</svg>"));
  EXPECT_THAT(terminal_roofline({}, {}), HasSubstr("flop/byte"));
}

TEST(DecadesBetween, AreWholePowersOfTen) {
  EXPECT_THAT(decades_between(0.05, 150), ::testing::ElementsAre(::testing::DoubleEq(0.1), ::testing::DoubleEq(1),
                                                                 ::testing::DoubleEq(10), ::testing::DoubleEq(100)));
  EXPECT_TRUE(decades_between(2, 3).empty());
}

TEST(RooflineInATerminal, ShowsEachPointUnderItsRoofInAsciiToo) {
  const std::string text = terminal_roofline(two_points(), {false, false, 80});
  for (const char c : text) EXPECT_LT(static_cast<unsigned char>(c), 0x80);
  EXPECT_THAT(text, AllOf(HasSubstr("a  low & slow"), HasSubstr("b  high"), HasSubstr("80 % of DRAM"),
                          HasSubstr("f32 100 Gflop/s"), HasSubstr("DRAM 10.0 GB/s")));
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = text.find('\n', begin);
    EXPECT_LE(end - begin, 80U) << text.substr(begin, end - begin);
    begin = end + 1;
  }
}

TEST(RooflineAsSvg, NamesEachPointInATooltipAndEscapesNames) {
  const std::string svg = svg_roofline(two_points());
  EXPECT_THAT(svg, AllOf(HasSubstr("<title>low &amp; slow: 4.00 Gflop/s (3 to 5), 0.5 flop/byte, "
                                   "80 % of DRAM</title>"),
                         HasSubstr("Roofline of &lt;b&gt;"), HasSubstr("class=\"bar\""),
                         HasSubstr("<title>f32 100 Gflop/s</title>"), Not(HasSubstr("nan")), Not(HasSubstr("inf"))));
}

}  // namespace
}  // namespace steelyard
