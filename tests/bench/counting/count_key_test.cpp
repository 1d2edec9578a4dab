#include "bench/counting/count_key.hpp"

#include "tests/promised.hpp"

namespace steelyard {
namespace {

Collection collection() {
  Collection result;
  result.report.libc = "2.36";
  result.report.allocator = "/lib/x86_64-linux-gnu/libc.so.6";
  result.report.cpu = "x86 01 02";
  return result;
}

TEST(CountKey, HoldsEveryConditionThatIsKnown) {
  Collection with_blas = collection();
  with_blas.openblas_core = "Haswell";
  EXPECT_EQ(count_key("valgrind-3.19.0", with_blas, "/tmp/program"),
            "valgrind-3.19.0;glibc 2.36;malloc libc.so.6;cpu x86 01 02;tunables pinned;OpenBLAS Haswell");
  EXPECT_EQ(count_key("valgrind-3.19.0", {}, "/tmp/program"), "valgrind-3.19.0;tunables pinned");
}

TEST(CountKey, TellsAllocatorsApartAndNotWhereTheyLie) {
  Collection other = collection();
  other.report.allocator = "/usr/lib/libc.so.6";
  EXPECT_EQ(count_key("v", other, "/tmp/p"), count_key("v", collection(), "/tmp/p"));
  other.report.allocator = "/usr/lib/libjemalloc.so.2";
  EXPECT_NE(count_key("v", other, "/tmp/p"), count_key("v", collection(), "/tmp/p"));
}

TEST(CountKey, AnAllocatorOfTheProgramHasNoPathOfALink) {
  Collection own = collection();
  own.report.allocator = "/tmp/steelyard-abcdef/base/program";
  EXPECT_THAT(count_key("v", own, "/tmp/steelyard-abcdef/base/program"), ::testing::HasSubstr("malloc of the program"));
}

}  // namespace
}  // namespace steelyard
