#include "bench/harness/table_scale.hpp"

#include <gtest/gtest.h>

namespace steelyard {
namespace {

TEST(TableScale, KeepsTheSmallestAtLeastOne) {
  EXPECT_EQ(scale_unit("s", 1.5e-6).name, "us");
  EXPECT_EQ(scale_unit("ns", 1500).name, "us");
  EXPECT_DOUBLE_EQ(scale_unit("ns", 1500).size, 1000);
  EXPECT_EQ(scale_unit("bytes", 1023).name, "B");
  EXPECT_EQ(scale_unit("bytes", 1024).name, "KiB");
  EXPECT_EQ(scale_unit("bytes/s", 2.5e10).name, "GB/s");
  EXPECT_EQ(scale_unit("count", 5e9).name, "");
  EXPECT_EQ(scale_unit("widgets", 5).name, "widgets");
  EXPECT_EQ(scale_unit("bytes", 0).name, "B");
}

TEST(TableScale, ThreeDigitsOfTheSmallestAreEnoughWhereNothingDiffers) {
  EXPECT_EQ(decimals_that_tell_apart(std::vector<double>{1.2345, 812.3}, {}), 2);
  EXPECT_EQ(decimals_that_tell_apart(std::vector<double>{0.0123}, {}), 4);
  EXPECT_EQ(decimals_that_tell_apart(std::vector<double>{123.4, 0}, {}), 0);
  EXPECT_EQ(decimals_that_tell_apart(std::vector<double>{}, {}), 0);
}

TEST(TableScale, DifferentNeighboursNeverPrintAlike) {
  const std::vector<double> values{1.2304, 1.2301, 1.23012};
  EXPECT_EQ(decimals_that_tell_apart(values, std::vector<ValuePair>{{0, 1}}), 4);
  EXPECT_EQ(decimals_that_tell_apart(values, std::vector<ValuePair>{{1, 2}}), 5);
}

TEST(TableScale, CountsHaveNoDecimals) {
  EXPECT_EQ(decimals_that_tell_apart(std::vector<double>{7015, 3}, std::vector<ValuePair>{{0, 1}}), 0);
}

TEST(TableScale, DigitsEndWhereADoubleDoes) {
  EXPECT_LE(decimals_that_tell_apart(std::vector<double>{1.0 / 3, 1.0 / 3}, std::vector<ValuePair>{{0, 1}}), 17);
}

}  // namespace
}  // namespace steelyard
