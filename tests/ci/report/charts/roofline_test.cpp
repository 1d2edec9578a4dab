#include "ci/report/charts/roofline.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace steelyard::ci::roofline_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

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
  EXPECT_LT(frame.intensity.low, 0.5);
  EXPECT_GT(frame.intensity.high, 50);
  EXPECT_LT(frame.rate.low, frame.intensity.low * 10e9 * 2);
  EXPECT_GT(frame.rate.high, 100e9);
}

TEST(RooflineFrame, OfNothingIsAFrameAllTheSame) {
  EXPECT_LT(frame_of({}).rate.low, frame_of({}).rate.high);
  EXPECT_THAT(svg_roofline({}), HasSubstr("</svg>"));
  EXPECT_THAT(terminal_roofline({}, {}), HasSubstr("flop/byte"));
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
}  // namespace steelyard::ci::roofline_test
