#include "bench/counting/callgrind_numbers.hpp"

#include "tests/promised.hpp"

namespace steelyard {
namespace {

TEST(CallgrindNumbers, PositionsAreAbsoluteRelativeOrTheSame) {
  const std::vector<std::pair<std::string_view, std::uint64_t>> cases = {
      {"7", 7}, {"0x1f", 31}, {"+3", 103}, {"-0x10", 84}, {"*", 100}, {"-100", 0}, {"+0", 100}};
  for (const auto& [text, expected] : cases) {
    std::uint64_t position = 1;
    EXPECT_TRUE(read_position(text, 100, position)) << text;
    EXPECT_EQ(position, expected) << text;
  }
}

TEST(CallgrindNumbers, RefusesPositionsThatAreNone) {
  std::uint64_t position = 0;
  for (const std::string_view text : {"", "+", "-", "x", "0x", "7a", "**", "+-3", "-101", "0x1ffffffffffffffff"}) {
    EXPECT_FALSE(read_position(text, 100, position)) << text;
  }
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
}  // namespace steelyard
