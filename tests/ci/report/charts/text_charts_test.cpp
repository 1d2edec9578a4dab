#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ci/app/terminal_text.hpp"
#include "ci/report/charts/text_charts.hpp"

namespace steelyard::ci::text_charts_test {
namespace {

TEST(SampleSummary, KeepsTheTwoSpreadsApart) {
  Measurement measurement;
  measurement.invocations = {{0, {9, 10, 11}, {}}, {1, {19, 20, 21}, {}}};
  const SampleSummary summary = summarize(measurement);
  EXPECT_EQ(summary.level, 15);
  EXPECT_NEAR(*summary.within, (1.0 / 10 + 1.0 / 20) / 2, 1e-12);
  EXPECT_NEAR(*summary.between, std::sqrt(50.0) / 15, 1e-12);
  EXPECT_EQ(summary.samples, 6);
  EXPECT_EQ(summary.invocations, 2);
}

TEST(SampleSummary, HasNoSpreadOfOneValue) {
  Measurement measurement;
  measurement.invocations = {{0, {7}, {}}};
  const SampleSummary summary = summarize(measurement);
  EXPECT_EQ(summary.level, 7);
  EXPECT_FALSE(summary.within);
  EXPECT_FALSE(summary.between);
}

TEST(SampleSummary, LeavesOutWhatIsNoNumber) {
  Measurement measurement;
  measurement.invocations = {{0, {std::numeric_limits<double>::quiet_NaN()}, {}}};
  EXPECT_FALSE(summarize(measurement).level);
  EXPECT_FALSE(summarize(Measurement{}).level);
}

TEST(SampleSummary, SpreadDoesNotCancelOnLargeValues) {
  Measurement measurement;
  measurement.invocations = {{0, {1e15, 1e15 + 2}, {}}};
  EXPECT_NEAR(*summarize(measurement).within, std::sqrt(2.0) / 1e15, 1e-20);
}

TEST(Median, IsTheMiddleOrTheMeanOfTwo) {
  EXPECT_EQ(median_of({3, 1, 2}), 2);
  EXPECT_EQ(median_of({4, 1, 2, 3}), 2.5);
  EXPECT_FALSE(median_of({}));
}

using testing::ElementsAre;

TEST(LineChart, DrawsAStepAndHoldsItsLevels) {
  const LineChart chart = draw_line_chart({1, 1, 2, 2}, {10, 3, false});
  EXPECT_THAT(chart.lines, ElementsAre("     .o--o", "     |", "o--o-'"));
  EXPECT_EQ(chart.columns_per_point, 3);
  EXPECT_THAT(chart.column_of_point, ElementsAre(0, 3, 6, 9));
  EXPECT_THAT(chart.axis, ElementsAre(2, 1.5, 1));
}

TEST(LineChart, DrawsOneValueAsOnePoint) {
  const LineChart chart = draw_line_chart({5}, {10, 3, false});
  EXPECT_THAT(chart.lines, ElementsAre("", "o", ""));
}

TEST(LineChart, DoesNotBlowUpNoiseToTheFullHeight) {
  const LineChart chart = draw_line_chart({100, 100.1, 99.9, 100}, {10, 5, false});
  EXPECT_THAT(chart.lines, ElementsAre("", "", "o--o--o--o", "", ""));
}

TEST(LineChart, ShowsMedianWhereValuesShareAColumn) {
  std::vector<double> values(80, 1.0);
  for (std::size_t i = 40; i < 80; ++i) values[i] = 2;
  values[3] = 2;  // one outlier does not show
  const LineChart chart = draw_line_chart(values, {8, 3, false});
  EXPECT_THAT(chart.lines, ElementsAre("    .---", "    |", "----'"));
  EXPECT_EQ(chart.column_of_point.size(), values.size());
  EXPECT_EQ(chart.column_of_point.back(), 7);
}

TEST(LineChart, TakesZerosAndNegativeValues) {
  EXPECT_EQ(draw_line_chart({0, 0}, {8, 3, true}).lines.size(), 3U);
  EXPECT_EQ(draw_line_chart({-5, 5}, {8, 3, true}).axis.front(), 5);
}

TEST(LabelledChart, NoTwoLevelsOfItsAxisReadAlike) {
  for (const std::vector<double>& values :
       {std::vector<double>{1109.8, 1112.1, 1110.5}, {98, 106}, {5, 5}, {1e9, 1e9 + 3}, {-2, 3}, {999.4, 1000.9}}) {
    const LabelledChart labelled = labelled_line_chart(values, "ns", {false, false, 60});
    std::vector<std::string> labels;
    std::istringstream lines(labelled.text);
    for (std::string line; std::getline(lines, line);) {
      const std::size_t tick = line.find(" +");
      if (tick != std::string::npos) labels.push_back(line.substr(0, tick));
    }
    EXPECT_GE(labels.size(), 4U);
    EXPECT_EQ(std::adjacent_find(labels.begin(), labels.end()), labels.end()) << labelled.text;
  }
}

const BarShape kAscii{21, false};

TEST(IntervalBar, MarksNoChangeAndTheBandOfTheMinimumEffect) {
  const std::string bar = interval_bar({1.03, 1.2}, 1.1, 0.01, kAscii);
  EXPECT_EQ(bar, "       :  |  : ===o= ");
}

TEST(IntervalBar, IsSymmetricInTheRatio) {
  std::string up = interval_bar({1.02, 1.05}, 1.03, 0.01, kAscii);
  const std::string down = interval_bar({1 / 1.05, 1 / 1.02}, 1 / 1.03, 0.01, kAscii);
  EXPECT_EQ(std::string(up.rbegin(), up.rend()), down);
}

TEST(IntervalBar, ShowsByArrowsWhatLiesBeyondItsEnds) {
  EXPECT_EQ(interval_bar({0.5, 2}, 1, 0.01, kAscii), "<=========o=========>");
  EXPECT_EQ(interval_bar({3, 4}, 3.5, 0.01, kAscii), "       :  |  :      >");
  EXPECT_EQ(interval_bar({0, 0.1}, 0.05, 0.01, kAscii), "<      :  |  :       ");
}

TEST(IntervalBar, StaysEmptyForWhatIsNoNumber) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(interval_bar({kNan, 1}, 1, 0.01, kAscii), "       :  |  :       ");
}

TEST(IntervalBar, IsAsWideAsItsAxisInEverySize) {
  for (int columns = 7; columns <= 31; columns += 2) {
    for (const bool unicode : {false, true}) {
      const BarShape shape{columns, unicode};
      EXPECT_EQ(columns_of(interval_bar({0.9, 1.3}, 1.1, 0.01, shape)), static_cast<std::size_t>(columns));
      EXPECT_LE(columns_of(interval_bar_axis(shape)), static_cast<std::size_t>(columns));
    }
  }
  EXPECT_EQ(interval_bar_axis(kAscii), "-20%      0      +25%");
}

}  // namespace

}  // namespace steelyard::ci::text_charts_test
