#include "bench/formats/non_finite_tokens.hpp"

#include <gtest/gtest.h>

namespace steelyard::bench::non_finite_tokens_test {
namespace {

TEST(NonFiniteTokens, BareTokensBecomeStringsOfTheSameLength) {
  EXPECT_EQ(mask_non_finite_tokens(R"({"a": NaN, "b": -NaN})"), R"({"a": "N", "b": "-N"})");
  EXPECT_EQ(mask_non_finite_tokens("[Infinity,-Infinity,inf,-inf,nan]"), R"(["Infini","-Infini","i","-i","n"])");
}

TEST(NonFiniteTokens, StringsNumbersAndWordsStayAsTheyAre) {
  for (const char* text :
       {R"({"NaN": "NaN, \" NaN"})", "[null, true, 1e5, -1.5]", "[NaNs, xNaN, 1NaN]", R"("NaN)", R"("\)", ""}) {
    EXPECT_EQ(mask_non_finite_tokens(text), text);
  }
}

TEST(NonFiniteTokens, MaskedTokenTellsWhatItWas) {
  EXPECT_EQ(unmask_non_finite("N"), "NaN");
  EXPECT_EQ(unmask_non_finite("-Infini"), "-Infinity");
  EXPECT_EQ(unmask_non_finite("NaN"), "");
  EXPECT_EQ(unmask_non_finite("us"), "");
}

TEST(NonFiniteTokens, TextThatBreaksOffInsideATokenIsRecognized) {
  EXPECT_TRUE(ends_in_cut_non_finite_token("[1, Na"));
  EXPECT_TRUE(ends_in_cut_non_finite_token("-Infinit"));
  for (const char* text : {"", "[1, ", "[NaN", "[NaNs", "\"Na\""})
    EXPECT_FALSE(ends_in_cut_non_finite_token(text)) << text;
}

}  // namespace
}  // namespace steelyard::bench::non_finite_tokens_test
