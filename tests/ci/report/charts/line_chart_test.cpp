#include "ci/report/charts/text_charts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace steelyard {
namespace {

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

}  // namespace
}  // namespace steelyard
