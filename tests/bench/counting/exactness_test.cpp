#include "bench/counting/exactness.hpp"

#include "tests/promised.hpp"

namespace steelyard {
namespace {

using ::testing::HasSubstr;

const CountedPair kPair{100, 5036, 200, 10036};  // 50 an iteration and 36 once

TEST(Exactness, ThreeCollectionsOnOneLineAreSoToTheLastInstruction) {
  EXPECT_TRUE(lies_on_line(kPair, 1, 86));
  EXPECT_FALSE(lies_on_line(kPair, 1, 85));
  EXPECT_FALSE(lies_on_line(kPair, 1, 87));
}

TEST(Exactness, ALineMayHaveAFractionOfAnInstructionInEachIteration) {
  // Seven instructions in two iterations.
  EXPECT_TRUE(lies_on_line({100, 350, 200, 700}, 2, 7));
  EXPECT_FALSE(lies_on_line({100, 350, 200, 700}, 1, 3));
  EXPECT_FALSE(lies_on_line({100, 350, 200, 700}, 1, 4));
}

TEST(Exactness, LargeCountsDoNotOverflow) {
  const std::int64_t dear = 4'000'000'000'000'000'000;
  EXPECT_TRUE(lies_on_line({2, dear, 3, dear + 7}, 1, dear - 7));
  EXPECT_FALSE(lies_on_line({2, dear, 3, dear + 7}, 1, dear - 8));
}

TEST(Exactness, TheSameCollectionTwiceIsNoLine) { EXPECT_FALSE(lies_on_line(kPair, 100, 5036)); }

TEST(Exactness, BasisSaysWhichCollectionsShowedIt) {
  const CountBasis basis = basis_of_line(kPair, 1);
  EXPECT_EQ(basis.jitter, 0);
  EXPECT_EQ(basis.scope, CountScope::timed_region);
  EXPECT_EQ(basis.jitter_from,
            "one thread, timed region: 1, 100 and 200 iterations lie on one line to the last instruction");
  EXPECT_EQ(basis_of_equal_collections(kPair).jitter, 0);
  EXPECT_THAT(basis_of_equal_collections(kPair).jitter_from, HasSubstr("collections of 100 iterations equal"));
}

TEST(Exactness, EqualRepeatsAreExactInATimedRegionOfOneThreadOnly) {
  EXPECT_EQ(basis_of_repeats({CountScope::timed_region, 1, {7, 7, 7}}).jitter, 0);
  EXPECT_EQ(basis_of_repeats({CountScope::timed_region, 2, {7, 7, 7}}).jitter, kLeastLearnedJitter);
  EXPECT_EQ(basis_of_repeats({CountScope::whole_functions, 1, {7, 7, 7}}).jitter, kLeastLearnedJitter);
  const CountBasis program = basis_of_repeats({CountScope::whole_program, 1, {7, 7, 7}});
  EXPECT_EQ(program.jitter, kLeastLearnedJitter);
  EXPECT_EQ(program.scope, CountScope::whole_program);
  EXPECT_EQ(program.jitter_from, "one thread, whole program: learned from 3 repeats, all equal");
}

TEST(Exactness, RepeatsThatDifferTeachTheirRangeOverTheirMedian) {
  const CountBasis basis = basis_of_repeats({CountScope::timed_region, 1, {100, 104, 99}});
  EXPECT_EQ(basis.jitter, 0.05);
  EXPECT_EQ(basis.jitter_from, "one thread, timed region: learned from 3 repeats");
  EXPECT_EQ(basis_of_repeats({CountScope::timed_region, 1, {1e6, 1e6 + 1}}).jitter, kLeastLearnedJitter);
}

}  // namespace
}  // namespace steelyard
