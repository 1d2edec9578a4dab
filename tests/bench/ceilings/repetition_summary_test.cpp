#include "bench/ceilings/repetition_summary.hpp"

#include <gtest/gtest.h>

namespace steelyard {
namespace {

std::vector<double> up_to(int n) {
  std::vector<double> samples;
  for (int i = n; i >= 1; --i) samples.push_back(i);
  return samples;
}

TEST(RepetitionSummary, NothingHasNoSummary) { EXPECT_FALSE(summarize_repetitions({})); }

TEST(RepetitionSummary, TellsMedianAndBestApart) {
  const auto odd = summarize_repetitions({3, 9, 1});
  ASSERT_TRUE(odd);
  EXPECT_EQ(odd->median, 3);
  EXPECT_EQ(odd->best, 9);
  EXPECT_EQ(summarize_repetitions({4, 1, 3, 10})->median, 3.5);
}

// 2 * 0.5^5 = 0.0625 is more than five per cent, 2 * 0.5^6 = 0.03125 is not.
TEST(RepetitionSummary, FiveRepetitionsHaveNoIntervalAndSixHaveTheirExtremes) {
  EXPECT_FALSE(summarize_repetitions(up_to(5))->low);
  const auto six = summarize_repetitions(up_to(6));
  ASSERT_TRUE(six->low);
  EXPECT_EQ(*six->low, 1);
  EXPECT_EQ(*six->high, 6);
}

// Ranks of the table of exact intervals for the median: n = 8: 1 and 8, n = 9: 2 and 8, n = 15: 4 and 12.
TEST(RepetitionSummary, RanksAreThoseOfTheExactTable) {
  EXPECT_EQ(*summarize_repetitions(up_to(8))->low, 1);
  EXPECT_EQ(*summarize_repetitions(up_to(9))->low, 2);
  EXPECT_EQ(*summarize_repetitions(up_to(9))->high, 8);
  EXPECT_EQ(*summarize_repetitions(up_to(15))->low, 4);
  EXPECT_EQ(*summarize_repetitions(up_to(15))->high, 12);
}

// The binomial of 2000 and one half is at most 955 with .0233 and at most 956 with .0258.
TEST(RepetitionSummary, RanksOfManyRepetitionsDoNotReachTheMedian) {
  EXPECT_EQ(*summarize_repetitions(up_to(2000))->low, 956);
  EXPECT_EQ(*summarize_repetitions(up_to(2000))->high, 1045);
}

TEST(RepetitionSummary, SettlingACeilingLeavesADatasheetAlone) {
  Ceiling sheet;
  sheet.value = 5;
  settle(sheet);
  EXPECT_EQ(sheet.value, 5);
  EXPECT_FALSE(sheet.low);
  sheet.samples = {2, 4, 6, 8, 10, 12, 14};
  settle(sheet);
  EXPECT_EQ(sheet.value, 8);
  EXPECT_EQ(sheet.low, 2);
  EXPECT_EQ(sheet.high, 14);
}

}  // namespace
}  // namespace steelyard
