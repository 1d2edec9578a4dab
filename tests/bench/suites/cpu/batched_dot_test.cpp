#include "bench/suites/cpu/batched_dot.hpp"

#include <gtest/gtest.h>

#include "bench/suites/cpu/agreement.hpp"
#include "bench/suites/cpu/seeded_values.hpp"

namespace steelyard::cpu_suite {
namespace {

constexpr BatchedDotShape kShape{.batch = 5, .length = 7};

TEST(BatchedDot, ReferenceIsTheSumOfProductsOfEachPair) {
  const std::vector<float> left{1, 2, 3, 4};
  const std::vector<float> right{5, 6, 7, 8};
  EXPECT_EQ(batched_dot_reference({.batch = 2, .length = 2}, left, right), (std::vector<double>{17, 53}));
}

TEST(BatchedDot, MultiplyAndSumAgreesWithTheReference) {
  const std::vector<float> left = seeded_values(35, 1);
  const std::vector<float> right = seeded_values(35, 2);
  std::vector<float> products(35);
  std::vector<float> results(5, 99.0f);
  batched_dot_multiply_sum(kShape, left, right, products, results);
  EXPECT_EQ(disagreement(results, batched_dot_reference(kShape, left, right), dot_tolerance(7)), std::nullopt);
}

TEST(BatchedDot, GemmAgreesWithTheReference) {
  const std::vector<float> left = seeded_values(35, 1);
  const std::vector<float> right = seeded_values(35, 2);
  std::vector<float> results(5, 99.0f);  // must be overwritten, not added to
  batched_dot_gemm(kShape, left, right, results);
  EXPECT_EQ(disagreement(results, batched_dot_reference(kShape, left, right), dot_tolerance(7)), std::nullopt);
}

TEST(BatchedDot, DeclaresTheSameWorkForBothAndMoreTrafficForTheChain) {
  constexpr OperatorCost chain = batched_dot_multiply_sum_cost(kShape);
  constexpr OperatorCost gemm = batched_dot_gemm_cost(kShape);
  EXPECT_EQ(chain.flops, Flops(2 * 5 * 7));
  EXPECT_EQ(gemm.flops, chain.flops);
  EXPECT_EQ(gemm.traffic(), Bytes(4 * (2 * 35 + 5)));
  EXPECT_EQ(chain.traffic(), gemm.traffic() + Bytes(4 * 2 * 35));  // the products, written and read back
}

}  // namespace
}  // namespace steelyard::cpu_suite
