#include "bench/model/number_text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "bench/model/parse_number.hpp"

namespace steelyard::number_text_test {
namespace {

TEST(LevelText, PicksTheUnitThatKeepsTheNumberShort) {
  EXPECT_EQ(level_text(812.4, "ns"), "812 ns");
  EXPECT_EQ(level_text(999.4, "ns"), "999 ns");
  EXPECT_EQ(level_text(999.6, "ns"), "1.00 us");
  EXPECT_EQ(level_text(1.0713e6, "ns"), "1.07 ms");
  EXPECT_EQ(level_text(0.25, "ns"), "0.25 ns");
  EXPECT_EQ(level_text(0.0125, "ns"), "0.0125 ns");
  EXPECT_EQ(level_text(90e9, "ns"), "90.0 s");
  EXPECT_EQ(level_text(2048, "bytes"), "2.00 KiB");
  EXPECT_EQ(level_text(1'048'575, "bytes"), "1.00 MiB");
  EXPECT_EQ(level_text(3 * 1099511627776.0, "bytes"), "3.00 TiB");
  EXPECT_EQ(level_text(2.1e9, "bytes/s"), "2.10 GB/s");
  EXPECT_EQ(level_text(3.2e12, "flop/s"), "3.20 Tflop/s");
  EXPECT_EQ(level_text(1500, "1/s"), "1.50 k/s");
  EXPECT_EQ(level_text(0.731, "1"), "0.73");
  EXPECT_EQ(level_text(42, "furlongs"), "42.0 furlongs");
  EXPECT_EQ(level_text(0, "ns"), "0 ns");
}

TEST(LevelText, CountsKeepEveryDigitAsLongAsTheyAreShort) {
  EXPECT_EQ(level_text(7015, "count"), "7,015");
  EXPECT_EQ(level_text(999999, "count"), "999,999");
  EXPECT_EQ(level_text(12345678, "count"), "12.35 M");
  EXPECT_EQ(level_text(0, "count"), "0");
}

TEST(LevelPair, GivesBothSidesOneUnit) {
  const LevelPair pair = level_pair(990.0, 1020.0, "ns");
  EXPECT_EQ(pair.baseline, "0.99");
  EXPECT_EQ(pair.candidate, "1.02");
  EXPECT_EQ(pair.unit, "us");
}

TEST(LevelPair, HasNoMoreDigitsWhereTheSmallerRoundsUp) {
  const LevelPair pair = level_pair(99.97, 1249.5, "ns");
  EXPECT_EQ(pair.baseline, "0.10");
  EXPECT_EQ(pair.candidate, "1.25");
}

TEST(LevelPair, LeavesAnAbsentSideEmpty) {
  const LevelPair pair = level_pair(std::nullopt, 388.0, "ns");
  EXPECT_EQ(pair.baseline, "");
  EXPECT_EQ(pair.candidate, "388");
  EXPECT_EQ(level_pair(std::nullopt, std::nullopt, "ns").candidate, "");
  EXPECT_EQ(level_pair(std::nan(""), 388.0, "ns").baseline, "");
}

TEST(ChangeText, IsASignedPercentageOrAFactor) {
  EXPECT_EQ(change_text(1.0721), "+7.21 %");
  EXPECT_EQ(change_text(0.9), "-10.0 %");
  EXPECT_EQ(change_text(1), "0 %");
  EXPECT_EQ(change_text(1 + 1e-15), "0 %");
  EXPECT_EQ(change_text(1.0004), "+0.04 %");
  EXPECT_EQ(change_text(1.00002), "+0.002 %");
  EXPECT_EQ(change_text(0.999994), "-0.001 %");
  EXPECT_EQ(change_text(1.0000004), "< 0.001 %");
  EXPECT_EQ(change_text(1 - 7e-10), "< 0.001 %");
  EXPECT_EQ(change_text(2.34), "+134 %");
  EXPECT_EQ(change_text(0), "-100 %");
  EXPECT_EQ(change_text(12.5), "x 12.5");
  EXPECT_EQ(change_text(std::nan("")), "-");
}

TEST(PlainChangeText, IsSignedWithThreeSignificantDigits) {
  EXPECT_EQ(plain_change_text(1.0721), "+7.21 %");
  EXPECT_EQ(plain_change_text(0.9), "-10.0 %");
  EXPECT_EQ(plain_change_text(2.5), "+150 %");
  EXPECT_EQ(plain_change_text(1), "+0.00 %");
  EXPECT_EQ(plain_change_text(1.00003), "+0.00 %");
  EXPECT_EQ(plain_change_text(12.49), "+1149 %");
}

TEST(PartCell, IsAPercentageHoweverLarge) {
  EXPECT_EQ(part_cell(0.072), "+7.20 %");
  EXPECT_EQ(part_cell(-0.1), "-10.0 %");
  EXPECT_EQ(part_cell(12.5), "+1250 %");
  EXPECT_EQ(part_cell(0), "0 %");
  EXPECT_EQ(part_cell(std::nan("")), "-");
}

TEST(RangeCell, HasTheDigitsOfTheChangesThatItLiesBetween) {
  EXPECT_EQ(range_cell({1.061, 1.083}, 1.07), "[+6.10, +8.30] %");
  EXPECT_EQ(range_cell({0.9994, 1.0003}, 1), "[-0.06, +0.03] %");
  EXPECT_EQ(range_cell({1, 1}, 1), "[0.00, 0.00] %");
  EXPECT_EQ(range_cell({0.5, 3}, 1.2), "[-50.0, +200] %");
  EXPECT_EQ(range_cell({0, 1e308}, 2), "[-100, -] %");
  for (const double ratio : {0.5, 0.9, 0.9994, 1.048, 1.12, 3.0}) {
    EXPECT_EQ(change_text(ratio), plain_change_text(ratio)) << "one figure, one form";
    const std::string end = change_text(ratio).substr(0, change_text(ratio).find(' '));
    EXPECT_EQ(range_cell({ratio, ratio}, ratio), '[' + end + ", " + end + "] %");
  }
}

TEST(RangeCell, OfAChangeThatReadsAsAFactorIsInFactors) {
  EXPECT_EQ(range_cell({9.8, 115.2}, 12.5), "[x 9.80, x 115]");
  EXPECT_EQ(range_text({9.8, 115.2}, 12.5), "x 9.80 to x 115");
  EXPECT_EQ(range_cell({0.05, 1e308}, 10), "[x 0.0500, -]");
  for (const double ratio : {10.0, 12.5, 99.96, 1234.0}) {
    EXPECT_TRUE(reads_as_factor(ratio));
    EXPECT_EQ(range_text({ratio, ratio}, ratio), change_text(ratio) + " to " + change_text(ratio))
        << "one figure, one form";
  }
  EXPECT_FALSE(reads_as_factor(9.99));
  EXPECT_EQ(range_cell({8, 12}, 9.99), "[+700, +1100] %") << "the change reads +899 %";
  EXPECT_EQ(range_text({8, 12}, 9.99), "+700 % to +1100 %");
  EXPECT_EQ(plain_range_text({9.8, 115.2}), "+880 % to +11420 %") << "as it is kept";
}

TEST(PValueText, NeverRoundsToZero) {
  EXPECT_EQ(p_value_text(8e-8), "8e-08");
  EXPECT_EQ(p_value_text(0.0123), "0.012");
  EXPECT_EQ(p_value_text(0.41), "0.41");
  EXPECT_EQ(p_value_text(1), "1");
  EXPECT_EQ(p_value_text(std::numeric_limits<double>::denorm_min()), "5e-324");
}

TEST(SmallShareText, HasNoEmptyDecimals) {
  EXPECT_EQ(small_share_text(0.05), "5 %");
  EXPECT_EQ(small_share_text(0.001), "0.1 %");
  EXPECT_EQ(small_share_text(1), "100 %");
  EXPECT_EQ(small_share_text(0), "0 %");
  EXPECT_EQ(small_share_text(2e-8), "2e-06 %");
}

TEST(DecimalText, HasNoNegativeZeroAndNoInfinity) {
  EXPECT_EQ(decimal_text(-0.04, 1), "0.0");
  EXPECT_EQ(decimal_text(-0.06, 1), "-0.1");
  EXPECT_EQ(decimal_text(std::numeric_limits<double>::infinity(), 1), "-");
  EXPECT_EQ(decimal_text(std::numeric_limits<double>::max(), 0).size(), 309U);
}

TEST(GroupedText, SetsACommaBeforeEveryThirdDigit) {
  EXPECT_EQ(grouped_text(0), "0");
  EXPECT_EQ(grouped_text(999), "999");
  EXPECT_EQ(grouped_text(1000), "1,000");
  EXPECT_EQ(grouped_text(-1234567), "-1,234,567");
  EXPECT_EQ(grouped_text(-100), "-100");
  EXPECT_EQ(cost_change_text(0), "0");
  EXPECT_EQ(cost_change_text(1234), "+1,234");
  EXPECT_EQ(cost_change_text(-0.25), "-0.25");
}

TEST(TimeText, IsUtcWithoutFractions) {
  EXPECT_EQ(time_text(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(time_text(1709210096'999999999), "2024-02-29T12:34:56Z");
  EXPECT_EQ(time_text(-1), "1969-12-31T23:59:59Z");
}

TEST(ShareText, DropsZerosThatSayNothing) {
  EXPECT_EQ(share_text(0.01), "1 %");
  EXPECT_EQ(share_text(0.0345), "3.45 %");
  EXPECT_EQ(share_text(0.95), "95 %");
  EXPECT_EQ(share_text(1.0), "100 %");
  EXPECT_EQ(share_text(0.51), "51 %");
  EXPECT_EQ(share_text(0.51, 1), "51.0 %") << "as its column has it";
}

TEST(CountText, SetsThousandsApart) {
  EXPECT_EQ(count_text(12447), "12,447");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(1234567.5), "1,234,567.5");
  EXPECT_EQ(count_text(-1000), "-1,000");
  EXPECT_EQ(count_text(0), "0");
}

TEST(PValueText, KeepsSmallOnesReadable) {
  EXPECT_EQ(p_value_text(0.0321), "0.032");
  EXPECT_EQ(p_value_text(0.5), "0.5");
  EXPECT_EQ(p_value_text(0.00004), "4e-05");
  EXPECT_EQ(p_value_text(1), "1");
}

TEST(NumberText, SpellsWhatIsNoNumber) {
  EXPECT_EQ(number_text(812.4, "ns"), "812 ns");
  EXPECT_EQ(number_text(std::numeric_limits<double>::quiet_NaN(), "ns"), "NaN ns");
  EXPECT_EQ(number_text(-std::numeric_limits<double>::infinity(), ""), "-infinity");
}

TEST(PluralText, AgreesWithTheNumber) {
  EXPECT_EQ(plural_text(1, "round"), "1 round");
  EXPECT_EQ(plural_text(0, "round"), "0 rounds");
  EXPECT_EQ(plural_text(1, "size is", "sizes are"), "1 size is");
  EXPECT_EQ(plural_text(std::size_t{2}, "size is", "sizes are"), "2 sizes are");
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

TEST(ParseAs, TakesANumberAndNothingElse) {
  EXPECT_EQ(parse_as<int>("-12"), -12);
  EXPECT_EQ(parse_as<double>("1.5e3"), 1500.0);
  for (const char* other : {"", " 1", "1 ", "+1", "1ms", "0x10", "99999999999"}) {
    EXPECT_EQ(parse_as<int>(other), std::nullopt) << other;
  }
  EXPECT_EQ(parse_as<std::uint64_t>("-1"), std::nullopt);
}

}  // namespace
}  // namespace steelyard::number_text_test
