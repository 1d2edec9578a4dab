#include "bench/counting/benchmark_count.hpp"
#include "tests/promised.hpp"

namespace steelyard::bench::benchmark_count_test {
namespace {

TEST(IterationChoice, IsAPowerOfTenThatKeepsTheWorkBounded) {
  EXPECT_EQ(choose_iterations(0), 10000);
  EXPECT_EQ(choose_iterations(1), 10000);
  EXPECT_EQ(choose_iterations(300), 10000);
  EXPECT_EQ(choose_iterations(301), 1000);
  EXPECT_EQ(choose_iterations(11'013), 100);
  EXPECT_EQ(choose_iterations(300'000), 10);
  EXPECT_EQ(choose_iterations(300'001), 1);
  EXPECT_EQ(choose_iterations(1'000'000'000'000), 1);
}

TEST(IterationChoice, WhatHappensOnceCancelsOut) {
  EXPECT_EQ(instructions_per_iteration({100, 5036, 200, 10036}), 50);
  EXPECT_EQ(instructions_per_iteration({1, 1'000'050, 2, 1'000'100}), 50);
}

TEST(IterationChoice, AFewInstructionsBesideTheLoopLookProportional) {
  EXPECT_FALSE(looks_disproportionate({100, 5036, 200, 10036}));
  EXPECT_FALSE(looks_disproportionate({100, 1'000'000 + 40'000, 200, 2'000'000 + 40'000}));  // 4 %
  EXPECT_FALSE(looks_disproportionate({1, 3000, 2, 3050}));                                  // few
  EXPECT_TRUE(looks_disproportionate({100, 1'000'000 + 60'000, 200, 2'000'000 + 60'000}));
  EXPECT_TRUE(looks_disproportionate({100, 500'000, 200, 2'000'000}));  // quadratic: the fixed part is negative
}

TEST(IterationChoice, ADearStartIsNoStateAndAQuadraticCostIs) {
  const CountedPair dear_start{100, 1'000'000 + 60'000, 200, 2'000'000 + 60'000};
  EXPECT_FALSE(keeps_state(dear_start, 400, 4'000'000 + 60'000));
  EXPECT_FALSE(keeps_state(dear_start, 400, 4'000'000 + 60'000 + 19'000));  // a bend of 0.95 %
  EXPECT_TRUE(keeps_state(dear_start, 400, 4'000'000 + 60'000 + 21'000));
  EXPECT_TRUE(keeps_state({100, 500'000, 200, 2'000'000}, 400, 8'000'000));
}

using ::testing::HasSubstr;

const CountedPair kPair{100, 5036, 200, 10036};  // 50 an iteration and 36 once

TEST(Exactness, ThreeCollectionsOnOneLineAreSoToTheLastInstruction) {
  EXPECT_TRUE(is_linear(kPair, 1, 86));
  EXPECT_FALSE(is_linear(kPair, 1, 85));
  EXPECT_FALSE(is_linear(kPair, 1, 87));
}

TEST(Exactness, ALineMayHaveAFractionOfAnInstructionInEachIteration) {
  // Seven instructions in two iterations.
  EXPECT_TRUE(is_linear({100, 350, 200, 700}, 2, 7));
  EXPECT_FALSE(is_linear({100, 350, 200, 700}, 1, 3));
  EXPECT_FALSE(is_linear({100, 350, 200, 700}, 1, 4));
}

TEST(Exactness, LargeCountsDoNotOverflow) {
  const std::int64_t dear = 4'000'000'000'000'000'000;
  EXPECT_TRUE(is_linear({2, dear, 3, dear + 7}, 1, dear - 7));
  EXPECT_FALSE(is_linear({2, dear, 3, dear + 7}, 1, dear - 8));
}

TEST(Exactness, TheSameCollectionTwiceIsNoLine) { EXPECT_FALSE(is_linear(kPair, 100, 5036)); }

TEST(Exactness, BasisSaysWhichCollectionsShowedIt) {
  const CountBasis basis = basis_of_linear_counts(kPair, 1);
  EXPECT_EQ(basis.jitter, 0);
  EXPECT_EQ(basis.scope, CountScope::timed_region);
  EXPECT_EQ(basis.jitter_from,
            "one thread, timed region: 1, 100 and 200 iterations lie on one line to the last instruction");
  EXPECT_EQ(basis_of_equal_collections(kPair).jitter, 0);
  EXPECT_THAT(basis_of_equal_collections(kPair).jitter_from, HasSubstr("collections of 100 iterations equal"));
}

TEST(Exactness, EqualRepeatsAreExactInATimedRegionOfOneThreadOnly) {
  EXPECT_EQ(basis_of_repeats({CountScope::timed_region, 1, {7, 7, 7}}).jitter, 0);
  EXPECT_EQ(basis_of_repeats({CountScope::timed_region, 2, {7, 7, 7}}).jitter, kMinLearnedJitter);
  EXPECT_EQ(basis_of_repeats({CountScope::whole_functions, 1, {7, 7, 7}}).jitter, kMinLearnedJitter);
  const CountBasis program = basis_of_repeats({CountScope::whole_program, 1, {7, 7, 7}});
  EXPECT_EQ(program.jitter, kMinLearnedJitter);
  EXPECT_EQ(program.scope, CountScope::whole_program);
  EXPECT_EQ(program.jitter_from, "one thread, whole program: learned from 3 repeats, all equal");
}

TEST(Exactness, RepeatsThatDifferTeachTheirRangeOverTheirMedian) {
  const CountBasis basis = basis_of_repeats({CountScope::timed_region, 1, {100, 104, 99}});
  EXPECT_EQ(basis.jitter, 0.05);
  EXPECT_EQ(basis.jitter_from, "one thread, timed region: learned from 3 repeats");
  EXPECT_EQ(basis_of_repeats({CountScope::timed_region, 1, {1e6, 1e6 + 1}}).jitter, kMinLearnedJitter);
}

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

}  // namespace steelyard::bench::benchmark_count_test
