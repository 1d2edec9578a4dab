#include "bench/counting/counters/counter_choice.hpp"

#include <gtest/gtest.h>

namespace steelyard {
namespace {

TEST(CounterChoice, EveryWordChoosesItsCounterAndReadsBack) {
  CounterChoice choice;
  EXPECT_EQ(read_counters({"heap", "cache"}, choice), std::nullopt);
  EXPECT_EQ(choice, (CounterChoice{.cache = true, .heap = true}));
  EXPECT_EQ(to_words(choice), (std::vector<std::string>{"cache", "heap"}));
  EXPECT_EQ(read_counters(counter_words(), choice), std::nullopt);
  EXPECT_EQ(to_words(choice), counter_words());
}

TEST(CounterChoice, NoneAloneIsNothingAndBesideOthersIsWrong) {
  CounterChoice choice{.cache = true};
  EXPECT_EQ(read_counters({"none"}, choice), std::nullopt);
  EXPECT_EQ(choice, CounterChoice{});
  EXPECT_EQ(read_counters({"heap", "none"}, choice), 1U);
}

TEST(CounterChoice, AWrongWordLeavesTheChoiceAsItWas) {
  CounterChoice choice{.branch = true};
  EXPECT_EQ(read_counters({"cache", "cash"}, choice), 1U);
  EXPECT_EQ(choice, (CounterChoice{.branch = true}));
}

TEST(CounterChoice, OnlyHardwareNeedsNoValgrind) {
  EXPECT_FALSE((CounterChoice{.hardware = true}).is_counted());
  EXPECT_TRUE((CounterChoice{.heap = true}).is_counted());
  EXPECT_FALSE((CounterChoice{.heap = true}).is_simulated());
}

}  // namespace
}  // namespace steelyard
