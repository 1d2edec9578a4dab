#include "bench/counting/count_key.hpp"

#include "tests/promised.hpp"

namespace steelyard {
namespace {

Collection collection() {
  Collection result;
  result.report.libc = "2.36";
  result.report.libc_build = "0123456789abcdef";
  result.report.allocator = "/lib/x86_64-linux-gnu/libc.so.6";
  result.report.allocator_build = "0123456789abcdef";
  result.report.cpu = "x86 01 02";
  result.report.dispatch = "fedcba9876543210";
  return result;
}

TEST(CountKey, HoldsEveryConditionThatIsKnown) {
  Collection with_blas = collection();
  with_blas.openblas_core = "Haswell";
  EXPECT_EQ(count_key("valgrind-3.19.0", with_blas, "/tmp/program"),
            "valgrind-3.19.0;glibc 2.36 0123456789abcdef;malloc libc.so.6 0123456789abcdef;cpu x86 01 02;"
            "libc routines fedcba9876543210;OpenBLAS Haswell");
  EXPECT_EQ(count_key("valgrind-3.19.0", {}, "/tmp/program"), "valgrind-3.19.0");
}

TEST(CountKey, TellsAllocatorsApartAndNotWhereTheyLie) {
  Collection other = collection();
  other.report.allocator = "/usr/lib/libc.so.6";
  EXPECT_EQ(count_key("v", other, "/tmp/p"), count_key("v", collection(), "/tmp/p"));
  other.report.allocator = "/usr/lib/libjemalloc.so.2";
  EXPECT_NE(count_key("v", other, "/tmp/p"), count_key("v", collection(), "/tmp/p"));
}

TEST(CountKey, TellsBuildsOfTheSystemsAllocatorsApartAndNotThoseOfTheProjectsOwn) {
  Collection system = collection(), own = collection();
  system.report.allocator_build = own.report.allocator_build = "-";
  EXPECT_NE(count_key("v", system, "/tmp/p"), count_key("v", collection(), "/tmp/p"));
  own.report.allocator = "/home/me/build/libarena.so";
  Collection rebuilt = own;
  rebuilt.report.allocator_build = "00ff00ff00ff00ff";
  EXPECT_EQ(count_key("v", own, "/tmp/p"), count_key("v", rebuilt, "/tmp/p"));
}

TEST(CountKey, TellsOtherChoicesOfLibcApart) {
  Collection other = collection();
  other.report.dispatch = "0000000000000000";
  EXPECT_NE(count_key("v", other, "/tmp/p"), count_key("v", collection(), "/tmp/p"));
}

TEST(CountKey, AnAllocatorOfTheProgramHasNoPathOfALink) {
  Collection own = collection();
  own.report.allocator = "/tmp/steelyard-abcdef/base/program";
  EXPECT_THAT(count_key("v", own, "/tmp/steelyard-abcdef/base/program"), ::testing::HasSubstr("malloc of the program"));
}

}  // namespace
}  // namespace steelyard
