#include "bench/suites/cpu/operator_cost.hpp"

#include <gtest/gtest.h>

#include "bench/suites/cpu/matrix_product.hpp"

namespace steelyard::cpu_suite {
namespace {

// The published counts of PyTorch's FlopCounterMode.
TEST(OperatorCost, CountsAProductOf3x4And4x5As120) {
  constexpr OperatorCost cost = matmul_cost({.rows = 3, .inner = 4, .columns = 5});
  EXPECT_EQ(cost.flops, Flops(120));
  EXPECT_EQ(cost.read, Bytes(4 * (12 + 20)));
  EXPECT_EQ(cost.written, Bytes(4 * 15));
}

TEST(OperatorCost, CountsABatchOfTwoSuchProductsAs240) {
  constexpr OperatorCost cost = matmul_cost({.rows = 3, .inner = 4, .columns = 5}) * 2;
  EXPECT_EQ(cost.flops, Flops(240));
  EXPECT_EQ(cost.traffic(), Bytes(2 * 4 * (12 + 20 + 15)));
}

TEST(OperatorCost, CountsAttentionOf128By64AsItsTwoProducts) {
  constexpr OperatorCost scores = matmul_cost({.rows = 128, .inner = 64, .columns = 128});
  constexpr OperatorCost values = matmul_cost({.rows = 128, .inner = 128, .columns = 64});
  EXPECT_EQ((scores + values).flops, Flops(4194304));
}

TEST(OperatorCost, OfNothingIsZero) {
  EXPECT_EQ(matmul_cost({.rows = 0, .inner = 4, .columns = 5}).flops, Flops(0));
  EXPECT_EQ((OperatorCost{Flops(7), Bytes(8), Bytes(9)} * 0), OperatorCost{});
}

// A rate divides by time: twice the time is half the rate, never twice.
TEST(OperatorCost, HalvesItsRateWhenTheTimeDoubles) {
  constexpr OperatorCost cost = matmul_cost(square(64));
  const FlopsPerSecond fast = cost.flops / microseconds(10);
  const FlopsPerSecond slow = cost.flops / microseconds(20);
  EXPECT_DOUBLE_EQ(slow / fast, 0.5);
}

}  // namespace
}  // namespace steelyard::cpu_suite
