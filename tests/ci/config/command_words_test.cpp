#include "ci/config/command_words.hpp"

#include <gtest/gtest.h>

namespace steelyard {
namespace {

std::vector<std::string> words(std::string_view text) {
  Result<std::vector<std::string>> split = command_words(text, "--bench");
  return split ? *split : std::vector<std::string>{"error: " + split.error().text()};
}

using Words = std::vector<std::string>;

TEST(CommandWords, SeparatesAtBlanksAndKeepsQuotedTextTogether) {
  EXPECT_EQ(words("  build/bench  --a=1\t--b "), (Words{"build/bench", "--a=1", "--b"}));
  EXPECT_EQ(words(R"(bench --filter='a b' "c d" e\ f)"), (Words{"bench", "--filter=a b", "c d", "e f"}));
  EXPECT_EQ(words(R"(bench "a\"b" 'c\d' '')"), (Words{"bench", "a\"b", "c\\d", ""}));
}

TEST(CommandWords, ExpandsNothing) { EXPECT_EQ(words("bench $HOME * ;"), (Words{"bench", "$HOME", "*", ";"})); }

TEST(CommandWords, RefusesOpenQuotesAndNothing) {
  EXPECT_EQ(words("bench 'a")[0], "error: --bench: found a ' that is not closed, wanted a command; close it");
  EXPECT_EQ(words("  ")[0], "error: --bench: found nothing, wanted a path and its arguments");
  EXPECT_EQ(words("''")[0], "error: --bench: found nothing, wanted a path and its arguments");
}

}  // namespace
}  // namespace steelyard
