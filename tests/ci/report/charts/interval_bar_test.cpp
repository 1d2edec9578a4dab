#include "ci/report/charts/text_charts.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "ci/app/terminal_text.hpp"

namespace steelyard {
namespace {

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
}  // namespace steelyard
