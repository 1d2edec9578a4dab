#include "ci/report/charts/svg_picture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace steelyard::ci::axis_test {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;

TEST(NiceAxis, HasRoundTicksWithinItsEnds) {
  for (const auto& values : {std::vector<double>{101.2, 108.9}, {0.0, 1e-9}, {-5.0, 3.0}, {7.0, 7.0}, {0.0}, {1e300}}) {
    const NiceAxis axis = nice_axis(values);
    EXPECT_LE(axis.ticks.size(), 12U);
    for (const double tick : axis.ticks) {
      EXPECT_GE(tick, axis.low);
      EXPECT_LE(tick, axis.high);
    }
    for (const double value : values) {
      EXPECT_GE(axis.share(value), 0);
      EXPECT_LE(axis.share(value), 1);
    }
  }
  EXPECT_THAT(nice_axis({0, 10}).ticks, ElementsAre(0, 5, 10));
  EXPECT_EQ(axis_label(105, nice_axis({100, 110}), "ns"), "105 ns");
}

TEST(LogAxis, HasDecadesAtWholePowersOfTen) {
  const std::vector<double> decades = LogAxis{0.05, 150}.decades();
  EXPECT_THAT(decades, ElementsAre(DoubleEq(0.1), DoubleEq(1), DoubleEq(10), DoubleEq(100)));
  EXPECT_TRUE((LogAxis{2, 3}.decades().empty()));
}

}  // namespace
}  // namespace steelyard::ci::axis_test
