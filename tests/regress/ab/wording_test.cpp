#include "regress/ab/wording.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace steelyard {
namespace {

TEST(ChangeText, IsSignedWithThreeSignificantDigits) {
  EXPECT_EQ(change_text(1.0721), "+7.21 %");
  EXPECT_EQ(change_text(0.9), "-10.0 %");
  EXPECT_EQ(change_text(2.5), "+150 %");
  EXPECT_EQ(change_text(1), "+0.00 %");
}

TEST(ShareText, DropsZerosThatSayNothing) {
  EXPECT_EQ(share_text(0.01), "1 %");
  EXPECT_EQ(share_text(0.0345), "3.45 %");
  EXPECT_EQ(share_text(0.95), "95 %");
  EXPECT_EQ(share_text(1.0), "100 %");
}

TEST(CountText, SetsThousandsApart) {
  EXPECT_EQ(count_text(12447), "12,447");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(1234567.5), "1,234,567.5");
  EXPECT_EQ(count_text(-1000), "-1,000");
  EXPECT_EQ(count_text(0), "0");
}

TEST(ProbabilityText, KeepsSmallOnesReadable) {
  EXPECT_EQ(probability_text(0.0321), "0.032");
  EXPECT_EQ(probability_text(0.5), "0.5");
  EXPECT_EQ(probability_text(0.00004), "4e-05");
  EXPECT_EQ(probability_text(1), "1");
}

TEST(NumberText, SpellsWhatIsNoNumber) {
  EXPECT_EQ(number_text(812.4, "ns"), "812 ns");
  EXPECT_EQ(number_text(std::numeric_limits<double>::quiet_NaN(), "ns"), "NaN ns");
  EXPECT_EQ(number_text(-std::numeric_limits<double>::infinity(), ""), "-infinity");
}

TEST(PluralText, AgreesWithTheNumber) {
  EXPECT_EQ(plural_text(1, "round"), "1 round");
  EXPECT_EQ(plural_text(0, "round"), "0 rounds");
}

TEST(DateText, IsTheDayInUtc) {
  EXPECT_EQ(date_text(1'795'305'600), "2026-11-22");
  EXPECT_EQ(date_text(1'795'305'599), "2026-11-21");
  EXPECT_EQ(date_text(951'782'400), "2000-02-29");
  EXPECT_EQ(date_text(951'868'800), "2000-03-01");
  EXPECT_EQ(date_text(4'107'542'400), "2100-03-01");  // no leap year
  EXPECT_EQ(date_text(4'107'542'399), "2100-02-28");
  EXPECT_EQ(date_text(1'798'761'599), "2026-12-31");
  EXPECT_EQ(date_text(std::numeric_limits<std::int64_t>::min()), "1970-01-01");
  EXPECT_EQ(date_text(std::numeric_limits<std::int64_t>::max()), "9999-12-31");
}

}  // namespace
}  // namespace steelyard
