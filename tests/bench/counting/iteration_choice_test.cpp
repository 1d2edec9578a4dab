#include "bench/counting/iteration_choice.hpp"

#include "tests/promised.hpp"

namespace steelyard {
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

}  // namespace
}  // namespace steelyard
