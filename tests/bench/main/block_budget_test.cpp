#include "bench/main/block_budget.hpp"

#include <gtest/gtest.h>

namespace steelyard {
namespace {

// Passes of this length that are made until the budget says that it is enough, or all there are.
int passes_made(BlockOrder order, Nanoseconds each, bool fixes_length = false) {
  BlockBudget budget(order);
  for (int pass = 0; pass < order.repetitions * order.blocks; ++pass) {
    if (budget.leaves_out(100, fixes_length)) return pass;
    budget.add(100, each);
  }
  return order.repetitions * order.blocks;
}

TEST(BlockBudget, MakesAllBlocksOfAFastBenchmark) {
  EXPECT_EQ(passes_made({1, 8, seconds(0.5)}, seconds(0.5 * 1.4 / 8)), 8);
  EXPECT_EQ(passes_made({3, 8, seconds(0.02)}, seconds(0.02 * 1.4 / 8)), 24);
}

TEST(BlockBudget, MakesNoMoreOfASlowOneThanThereWereRepetitions) {
  EXPECT_EQ(passes_made({3, 8, milliseconds(20)}, seconds(1)), 3);
  EXPECT_EQ(passes_made({1, 8, milliseconds(20)}, milliseconds(18)), 1);
}

TEST(BlockBudget, StopsWhereAsMuchTimeIsSpentAsWithoutBlocks) {
  // 35 ms are allowed: three of 10 ms, not four.
  EXPECT_EQ(passes_made({1, 8, milliseconds(20)}, milliseconds(10)), 3);
}

TEST(BlockBudget, IsNeverSpentWithoutBlocks) { EXPECT_EQ(passes_made({5, 1, milliseconds(1)}, seconds(9)), 5); }

TEST(BlockBudget, MakesTheRepetitionsOfABenchmarkThatSetsItsOwnLength) {
  EXPECT_EQ(passes_made({3, 8, seconds(0.5)}, milliseconds(1), true), 3);
}

TEST(BlockBudget, NeverLeavesOutTheSearchForTheIterations) {
  BlockBudget budget({1, 8, milliseconds(20)});
  budget.add(1, seconds(30));  // a slow first touch
  EXPECT_FALSE(budget.leaves_out(10, false));
  EXPECT_FALSE(budget.leaves_out(10, true));
  budget.add(10, milliseconds(3));
  EXPECT_FALSE(budget.leaves_out(10, false));
  budget.add(10, seconds(30));
  EXPECT_TRUE(budget.leaves_out(10, false));
}

TEST(BlockBudget, BeginsAnewWithEachBenchmark) {
  BlockBudget budget({1, 8, milliseconds(20)});
  budget.add(10, seconds(1));
  EXPECT_TRUE(budget.leaves_out(10, false));
  budget.begin_next_benchmark();
  EXPECT_FALSE(budget.leaves_out(10, false));
}

}  // namespace
}  // namespace steelyard
