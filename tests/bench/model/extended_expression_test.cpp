#include "bench/model/extended_expression.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace steelyard::extended_expression_test {
namespace {

using testing::HasSubstr;

bool finds(const std::string& expression, const std::string& text) {
  const Result<ExtendedExpression> compiled = ExtendedExpression::compile(expression, "--filter");
  EXPECT_TRUE(compiled) << compiled.error().text();
  return compiled && compiled->finds_in(text);
}

TEST(ExtendedExpression, IsFoundAnywhereUnlessItIsAnchored) {
  EXPECT_TRUE(finds("sum/(8|64)", "BM_sum/64/threads:2"));
  EXPECT_FALSE(finds("sum/(8|64)$", "BM_sum/64/threads:2"));
  EXPECT_FALSE(finds("^sum", "BM_sum"));
  EXPECT_TRUE(finds("[[:digit:]]{2}", "BM_sum/64"));
  EXPECT_TRUE(finds("", "BM_sum"));
}

TEST(ExtendedExpression, IsFoundInANameOfAMegabyte) {
  EXPECT_TRUE(finds("(a|b)*end$", std::string(1 << 20, 'a') + "end"));
}

TEST(ExtendedExpression, ThatIsNoneIsRefusedWithTheFault) {
  for (const char* expression : {"sum(", "[a", "a\\"}) {
    const Result<ExtendedExpression> compiled = ExtendedExpression::compile(expression, "--filter");
    ASSERT_FALSE(compiled) << expression;
    EXPECT_EQ(compiled.error().kind, ErrorKind::input);
    EXPECT_EQ(compiled.error().where, "--filter");
    EXPECT_THAT(compiled.error().found,
                HasSubstr('"' + std::string(expression) + "\", which is no regular expression ("));
    EXPECT_FALSE(compiled.error().found.ends_with("expression ()")) << "the fault has a name";
  }
  const Result<ExtendedExpression> excluding = ExtendedExpression::compile("sum(", "--filter", "-sum(");
  ASSERT_FALSE(excluding);
  EXPECT_THAT(excluding.error().found, HasSubstr("\"-sum(\", which is"));
}

TEST(ExtendedExpression, ThatIsOpenIsRefusedWithTheFixOfItsSign) {
  const auto fix_of = [](const char* expression) {
    const Result<ExtendedExpression> compiled = ExtendedExpression::compile(expression, "--filter");
    return compiled ? "none is needed" : compiled.error().fix;
  };
  for (const char* expression : {"sum(", "[0-9](sum"}) {
    EXPECT_EQ(fix_of(expression), "write \\( where a ( itself is meant") << expression;
  }
  for (const char* expression : {"[", "[a", "[a]x[b"}) {
    EXPECT_EQ(fix_of(expression), "write \\[ where a [ itself is meant") << expression;
  }
  EXPECT_EQ(fix_of("a\\"), "write \\\\ where a \\ itself is meant");
  EXPECT_EQ(fix_of("*a"), "") << "nothing is open";
}

}  // namespace
}  // namespace steelyard::extended_expression_test
