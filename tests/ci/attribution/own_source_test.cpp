#include "ci/attribution/own_source.hpp"

#include <gtest/gtest.h>

namespace steelyard {
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

}  // namespace
}  // namespace steelyard
