#include "regress/ab/rules.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace steelyard::regress::rules_test {
namespace {

TEST(Rules, AreThoseOfTheSameNumberAndTheNewestWhereThereAreNone) {
  for (int i = 0; i <= static_cast<int>(kNewestRules); ++i) {
    const auto rules = static_cast<Rules>(i);
    EXPECT_EQ(to_text(rules), "rounds-" + std::to_string(i + 2));
    EXPECT_EQ(rules_of(to_text(rules)), rules);
    EXPECT_EQ(rules_of("history-" + std::to_string(i + 2)), rules);
  }
  for (const char* unknown : {"", "rounds", "rounds-1", "rounds-22", "rounds-99", "rounds-"}) {
    EXPECT_EQ(rules_of(unknown), kNewestRules) << unknown;
  }
}

struct Size {
  double ratio = 1;
  double effect = 0;
  bool is_relevant = false;
  bool was_relevant = false;  // by Rules::rounds_6
};

TEST(MinimumEffect, IsReachedAtOneMoreAndOneLessByIt) {
  const Size sizes[] = {
      {1.01, 0.01, true, true},
      {1.0099999999, 0.01, false, false},
      {0.99, 0.01, true, true},
      {0.9900000001, 0.01, false, false},
      {1 / 1.01, 0.01, false, false},
      {1.2, 0.2, true, false},  // computed, 1.2 - 1 is less than 0.2
      {1.15, 0.15, true, false},
      {1.1999999999, 0.2, false, false},
      {0.8, 0.2, true, false},
      {0.82, 0.2, false, false},  // less than 1 / 1.2
      {1 / 1.2, 0.2, false, false},
      {0.1, 0.9, true, true},  // computed, 1 - 0.9 is less than 0.1
      {1.1 * (1.2 / 1.1), 0.2, true, false},
      {2.5, 1.5, true, true},
      {0.01, 1.5, false, false},  // nothing is 150 % less
      {0, 1, true, true},
      {1, 0, true, true},
      {1 + 1e-15, 0.01, false, false},
      {std::numeric_limits<double>::infinity(), 0.01, true, true},
      {std::numeric_limits<double>::quiet_NaN(), 0.01, false, false},
  };
  for (const Size& size : sizes) {
    EXPECT_EQ(is_relevant(size.ratio, size.effect), size.is_relevant) << size.ratio << " by " << size.effect;
    EXPECT_EQ(is_relevant(size.ratio, size.effect, Rules::rounds_6), size.was_relevant)
        << size.ratio << " by " << size.effect;
  }
}

TEST(MinimumEffect, IsReachedExactlyAtEveryTenthOfAPercent) {
  for (int tenths = 1; tenths <= 1000; ++tenths) {
    const double effect = tenths / 1000.0;
    const double up = (1000 + tenths) / 1000.0;
    const double down = (1000 - tenths) / 1000.0;
    EXPECT_TRUE(is_relevant(up, effect)) << effect;
    EXPECT_TRUE(is_relevant(down, effect)) << effect;
    EXPECT_FALSE(is_relevant(up - 1e-9, effect)) << effect;
    EXPECT_FALSE(is_relevant(down + 1e-9, effect)) << effect;
    EXPECT_TRUE(is_beyond({up, up + 1}, effect)) << effect;
    EXPECT_FALSE(is_beyond({up - 1e-9, up + 1}, effect)) << effect;
    EXPECT_TRUE(is_beyond({down - 0.5, down}, effect)) << effect;
    EXPECT_FALSE(is_beyond({down - 0.5, down + 1e-9}, effect)) << effect;
  }
}

struct Range {
  Interval interval;
  double effect = 0;
  bool is_beyond = false;
};

TEST(MinimumEffect, IsExcludedByAnIntervalThatHoldsNothingSmaller) {
  const Range ranges[] = {
      {{1.2, 1.3}, 0.2, true},   {{1.19, 1.3}, 0.2, false},   {{0.7, 0.8}, 0.2, true},
      {{0.7, 0.81}, 0.2, false}, {{0.81, 0.825}, 0.2, false},  // beyond 1 / 1.2
      {{0.5, 2}, 0.2, false},    {{1.2, 1.2}, 0.2, true},     {{1.0001, 2}, 0, true},
      {{0.9999, 2}, 0, false},   {{0.1, 0.2}, 1.5, false},
  };
  for (const Range& range : ranges) {
    EXPECT_EQ(is_beyond(range.interval, range.effect), range.is_beyond)
        << range.interval.low << " to " << range.interval.high << " by " << range.effect;
  }
}

TEST(MinimumEffect, HasABandWhoseEndsAreTheDecimalsThatItIs) {
  EXPECT_EQ(minimum_effect_band(0.2), (Interval{0.8, 1.2}));
  EXPECT_EQ(minimum_effect_band(0.9), (Interval{0.1, 1.9}));
  EXPECT_NE(minimum_effect_band(0.9, Rules::rounds_6).low, 0.1);
}

}  // namespace
}  // namespace steelyard::regress::rules_test
