// The answers of the demo's functions: a benchmark of a function that is wrong shows nothing.
#include <gtest/gtest.h>

#include "textkit/edit_distance.hpp"
#include "textkit/intern.hpp"
#include "textkit/matrix.hpp"
#include "textkit/tokenize.hpp"
#include "textkit/top_words.hpp"

namespace textkit {
namespace {

TEST(Tokenize, WordsNumbersAndPunctuationAreTold) {
  const std::vector<Token> tokens = tokenize("if x2 = 40,\n  y_1\n");
  std::vector<std::string> texts;
  for (const Token& token : tokens) texts.emplace_back(token.text);
  EXPECT_EQ(texts, (std::vector<std::string>{"if", "x2", "=", "40", ",", "y_1"}));
  EXPECT_EQ(tokens[1].kind, TokenKind::word);
  EXPECT_EQ(tokens[2].kind, TokenKind::punctuation);
  EXPECT_EQ(tokens[3].kind, TokenKind::number);
}

TEST(Tokenize, LinesCountFromOne) {
  const std::vector<Token> tokens = tokenize("a\n\nb c");
  ASSERT_EQ(tokens.size(), 3u);
  EXPECT_EQ(tokens[0].line, 1u);
  EXPECT_EQ(tokens[1].line, 3u);
  EXPECT_EQ(tokens[2].line, 3u);
}

TEST(Tokenize, ATextOfNothingButWhiteSpaceHasNoTokens) {
  EXPECT_TRUE(tokenize("").empty());
  EXPECT_TRUE(tokenize(" \t\r\n\n").empty());
}

TEST(Interner, NumbersWordsInOrderOfFirstAppearance) {
  Interner interner;
  EXPECT_EQ(interner.intern("pear"), 0u);
  EXPECT_EQ(interner.intern("apple"), 1u);
  EXPECT_EQ(interner.intern("pear"), 0u);
  EXPECT_EQ(interner.intern(""), 2u);
  EXPECT_EQ(interner.size(), 3u);
  EXPECT_EQ(interner.word(1), "apple");
}

TEST(Interner, KeepsItsNumbersWhileItGrows) {
  Interner interner;
  for (std::uint32_t i = 0; i < 1000; ++i) ASSERT_EQ(interner.intern("w" + std::to_string(i)), i);
  for (std::uint32_t i = 0; i < 1000; ++i) {
    ASSERT_EQ(interner.intern("w" + std::to_string(i)), i);
    ASSERT_EQ(interner.word(i), "w" + std::to_string(i));
  }
}

TEST(TopWords, MostFrequentFirstAndTiesByNumber) {
  const std::vector<std::uint32_t> words{7, 3, 3, 9, 7, 3, 9, 1};
  EXPECT_EQ(top_words(words, 3), (std::vector<WordCount>{{3, 3}, {7, 2}, {9, 2}}));
  EXPECT_EQ(top_words(words, 10), (std::vector<WordCount>{{3, 3}, {7, 2}, {9, 2}, {1, 1}}));
}

TEST(TopWords, NothingOfNothing) {
  EXPECT_TRUE(top_words({}, 3).empty());
  EXPECT_TRUE(top_words({1, 2}, 0).empty());
}

TEST(EditDistance, MatchesDistancesWorkedOutByHand) {
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("flaw", "lawn"), 2u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("same", "same"), 0u);
}

TEST(Multiply, MatchesAProductWorkedOutByHand) {
  Matrix left(2, 3), right(3, 2), product(2, 2);
  left.values = {1, 2, 3, 4, 5, 6};
  right.values = {7, 8, 9, 10, 11, 12};
  product.values = {99, 99, 99, 99};  // must be overwritten, not added to
  multiply(left, right, product);
  EXPECT_EQ(product.values, (std::vector<float>{58, 64, 139, 154}));
}

}  // namespace
}  // namespace textkit
