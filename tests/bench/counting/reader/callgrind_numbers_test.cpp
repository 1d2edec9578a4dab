#include "bench/counting/reader/callgrind_numbers.hpp"

#include "tests/promised.hpp"

namespace steelyard::bench::callgrind_numbers_test {
namespace {

TEST(CallgrindNumbers, PositionsAreAbsoluteRelativeOrTheSame) {
  const std::vector<std::pair<std::string_view, std::uint64_t>> cases = {
      {"7", 7}, {"0x1f", 31}, {"0xAB", 171}, {"+3", 103}, {"-0x10", 84}, {"*", 100}, {"-100", 0}, {"+0", 100}};
  for (const auto& [text, expected] : cases) {
    std::uint64_t position = 1;
    std::string_view line = text;
    EXPECT_TRUE(take_position(line, 100, position)) << text;
    EXPECT_EQ(position, expected) << text;
    EXPECT_TRUE(line.empty()) << text;
  }
}

TEST(CallgrindNumbers, ReadsNumbersUpToTheLargestAndNoneBeyond) {
  std::uint64_t number = 0;
  for (const std::string_view text : {"18446744073709551615", "0xffffffffffffffff", "0x0000ffffffffffffffff"}) {
    EXPECT_TRUE(read_number(text, number)) << text;
    EXPECT_EQ(number, 18446744073709551615u) << text;
  }
  EXPECT_TRUE(read_number("0000000000000000000000007", number));
  EXPECT_EQ(number, 7u);
  for (const std::string_view text : {"18446744073709551616", "99999999999999999999", "0x10000000000000000", "0xg"}) {
    EXPECT_FALSE(read_number(text, number)) << text;
  }
}

TEST(CallgrindNumbers, RefusesPositionsThatAreNone) {
  std::uint64_t position = 0;
  for (const std::string_view text :
       {"", "+", "-", "x", "0x", "7a", "**", "*7", "+-3", "-101", "0x1ffffffffffffffff"}) {
    std::string_view line = text;
    EXPECT_FALSE(take_position(line, 100, position)) << text;
    EXPECT_EQ(line, text);
  }
}

TEST(CallgrindNumbers, TakesOnePositionAndThenOneCostAfterAnother) {
  std::string_view line = " +2\t5  0x10 ";
  std::uint64_t position = 0;
  std::int64_t cost = 0;
  EXPECT_TRUE(take_position(line, 1, position));
  EXPECT_EQ(position, 3u);
  EXPECT_TRUE(take_cost(line, cost));
  EXPECT_EQ(cost, 5);
  EXPECT_TRUE(take_cost(line, cost));
  EXPECT_EQ(cost, 16);
  EXPECT_FALSE(take_cost(line, cost));
  EXPECT_TRUE(line.empty());
}

TEST(CallgrindNumbers, CostsFitInto63BitsAndAreNeverNegative) {
  std::int64_t cost = 0;
  EXPECT_TRUE(read_cost("9223372036854775807", cost));
  EXPECT_FALSE(read_cost("9223372036854775808", cost));
  EXPECT_FALSE(read_cost("-1", cost));
  EXPECT_FALSE(read_cost("+1", cost));
}

TEST(CallgrindNumbers, WordsAreTakenUntilTheLineIsEmpty) {
  std::string_view line = "  a \tbc ";
  EXPECT_EQ(take_word(line), "a");
  EXPECT_EQ(take_word(line), "bc");
  EXPECT_EQ(take_word(line), "");
  EXPECT_EQ(take_word(line), "");
}

}  // namespace
}  // namespace steelyard::bench::callgrind_numbers_test
