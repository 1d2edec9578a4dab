#include <gtest/gtest.h>

#include "ci/attribution/own_source.hpp"

namespace steelyard::ci::own_source_test {
namespace {

ProfiledFunction function(const std::string& name, const std::string& file, const std::string& object) {
  ProfiledFunction result;
  result.name = name;
  result.file = file;
  result.object = object;
  return result;
}

const std::string kProgram = "/home/a/build/bench";

TEST(OwnSource, NamedFoldersDecideForAbsoluteFiles) {
  EXPECT_TRUE(is_own_source(function("f", "/srv/base/src/f.cpp", kProgram), {"/srv/base", "/srv/head"}));
  EXPECT_TRUE(is_own_source(function("f", "/srv/head/src/f.cpp", kProgram), {"/srv/base", "/srv/head/"}));
  EXPECT_TRUE(is_own_source(function("f", "/srv/base/build/../src/f.cpp", kProgram), {"/srv/base"}));
  EXPECT_FALSE(is_own_source(function("f", "/srv/baseline/src/f.cpp", kProgram), {"/srv/base"}));
  EXPECT_FALSE(is_own_source(function("f", "/srv/base/../other/f.cpp", kProgram), {"/srv/base"}));
  EXPECT_FALSE(is_own_source(function("f", "/home/b/library/f.cpp", kProgram), {"/srv/base"}));
}

TEST(OwnSource, WithoutFoldersWhatIsNotTheSystemsIsOwn) {
  EXPECT_TRUE(is_own_source(function("f", "/home/a/src/f.cpp", kProgram), {}));
  EXPECT_TRUE(is_own_source(function("f", "src/f.cpp", kProgram), {}));
  EXPECT_FALSE(is_own_source(function("f", "/usr/include/c++/12/bits/vector.tcc", kProgram), {}));
  EXPECT_FALSE(is_own_source(function("malloc", "./malloc/malloc.c", "/usr/lib/x86_64-linux-gnu/libc.so.6"), {}));
  EXPECT_FALSE(is_own_source(function("main", "./csu/../sysdeps/nptl/libc_start_call_main.h", kProgram), {}));
  EXPECT_FALSE(is_own_source(function("f", "f.cpp", "/usr/lib/x86_64-linux-gnu/libbenchmark.so.1"), {}));
}

TEST(OwnSource, WithoutDebugInformationTheProgramsFunctionsAreOwn) {
  EXPECT_TRUE(is_own_source(function("textkit::tokenize(char const*)", "???", kProgram), {"/srv/base"}));
  EXPECT_TRUE(is_own_source(function("f", "", "/home/a/build/libtextkit.so"), {}));
  EXPECT_FALSE(is_own_source(function("void std::vector<int>::_M_realloc_insert<int>(int&&)", "???", kProgram), {}));
  EXPECT_FALSE(is_own_source(function("benchmark::State::KeepRunning()", "???", kProgram), {}));
  EXPECT_FALSE(is_own_source(function("operator new(unsigned long)", "???", kProgram), {}));
  EXPECT_FALSE(is_own_source(function("memcpy", "???", "/lib/x86_64-linux-gnu/libc.so.6"), {}));
  EXPECT_FALSE(is_own_source(function("???", "???", kProgram), {}));
}

TEST(OwnSource, PathsOfTwoTreesAreEqualBelowTheirRoots) {
  EXPECT_EQ(path_below("/srv/base/src/f.cpp", {"/srv/base", "/srv/head"}), "src/f.cpp");
  EXPECT_EQ(path_below("/srv/head/src/f.cpp", {"/srv/base", "/srv/head"}), "src/f.cpp");
  EXPECT_EQ(path_below("/usr/include/x.h", {"/srv/base"}), "/usr/include/x.h");
  EXPECT_EQ(path_below("???", {"/srv/base"}), "???");
}

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

}  // namespace steelyard::ci::own_source_test
