#include "ci/attribution/function_name.hpp"

#include <gtest/gtest.h>

namespace steelyard {
namespace {

TEST(FunctionName, ReturnTypesOfTemplatesAreLeftOut) {
  EXPECT_EQ(qualified_name("void std::vector<int>::push_back(int)"), "std::vector<int>::push_back(int)");
  EXPECT_EQ(qualified_name("std::map<int, long> const& a::f<int>(int, int)"), "a::f<int>(int, int)");
  EXPECT_EQ(qualified_name("main"), "main");
  EXPECT_EQ(qualified_name("operator new(unsigned long)"), "operator new(unsigned long)");
  EXPECT_EQ(qualified_name("(anonymous namespace)::f(int, int)"), "(anonymous namespace)::f(int, int)");
  EXPECT_EQ(qualified_name(""), "");
}

TEST(FunctionName, ShortNamesKeepWhatTellsFunctionsApart) {
  EXPECT_EQ(short_function_name("textkit::tokenize(std::string_view)"), "textkit::tokenize");
  EXPECT_EQ(
      short_function_name("void std::vector<a::B, std::allocator<a::B> >::_M_realloc_insert<a::B>(a::B*, a::B&&)"),
      "std::vector<>::_M_realloc_insert<>");
  EXPECT_EQ(short_function_name("a::f(int)::{lambda(int)#1}::operator()(int) const"), "a::f::{lambda#1}::operator()");
  EXPECT_EQ(short_function_name("a::g() const::{lambda()#2}::operator()() const"), "a::g::{lambda#2}::operator()");
  EXPECT_EQ(short_function_name("(anonymous namespace)::f(int) [clone .cold]"), "(anonymous namespace)::f");
  EXPECT_EQ(short_function_name("std::ostream& operator<< <char>(std::ostream&, char)"), "operator<<");
  EXPECT_EQ(short_function_name("a::T::operator->() const"), "a::T::operator->");
  EXPECT_EQ(short_function_name("operator new(unsigned long)"), "operator new");
  EXPECT_EQ(short_function_name("a::operators::f(int)"), "a::operators::f");
  EXPECT_EQ(short_function_name("__memcpy_avx_unaligned_erms"), "__memcpy_avx_unaligned_erms");
  EXPECT_EQ(short_function_name("(below main)"), "(below main)");
}

TEST(FunctionName, ComparisonsAmongTemplateArgumentsAreNoBrackets) {
  EXPECT_EQ(short_function_name("std::enable_if<std::is_trivially_copyable<long>::value&&((sizeof (long))<=(sizeof "
                                "(long*))), void>::type benchmark::DoNotOptimize<long>(long&)"),
            "benchmark::DoNotOptimize<>");
}

TEST(FunctionName, BrokenNamesStayNames) {
  EXPECT_EQ(short_function_name("f<int"), "f<>");
  EXPECT_EQ(short_function_name("f(int"), "f");
  EXPECT_EQ(short_function_name("("), "(");
  EXPECT_EQ(short_function_name(""), "");
}

}  // namespace
}  // namespace steelyard
