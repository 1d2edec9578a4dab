#include "bench/suites/cpu/matrix_product.hpp"

#include <gtest/gtest.h>

#include "bench/suites/cpu/agreement.hpp"
#include "bench/suites/cpu/seeded_values.hpp"

namespace steelyard::cpu_suite {
namespace {

TEST(MatrixProduct, ReferenceMatchesAProductWorkedOutByHand) {
  const std::vector<float> left{1, 2, 3, 4, 5, 6};
  const std::vector<float> right{7, 8, 9, 10, 11, 12};
  EXPECT_EQ(matmul_reference({.rows = 2, .inner = 3, .columns = 2}, left, right),
            (std::vector<double>{58, 64, 139, 154}));
}

TEST(MatrixProduct, MatmulAgreesWithTheReferenceWhereNoSideIsEqual) {
  constexpr ProductShape shape{.rows = 5, .inner = 7, .columns = 3};
  const std::vector<float> left = seeded_values(35, 10);
  const std::vector<float> right = seeded_values(21, 11);
  std::vector<float> product(15, 99.0f);  // must be overwritten, not added to
  matmul(shape, left, right, product);
  EXPECT_EQ(disagreement(product, matmul_reference(shape, left, right), dot_tolerance(7)), std::nullopt);
}

TEST(MatrixProduct, GemvAgreesWithTheReferenceWhereNoSideIsEqual) {
  constexpr ProductShape shape{.rows = 5, .inner = 7, .columns = 1};
  const std::vector<float> matrix = seeded_values(35, 8);
  const std::vector<float> vector = seeded_values(7, 9);
  std::vector<float> product(5, 99.0f);
  gemv(shape, matrix, vector, product);
  EXPECT_EQ(disagreement(product, matmul_reference(shape, matrix, vector), dot_tolerance(7)), std::nullopt);
}

// 1024 x 1024 by a vector: two operations for every four bytes of the matrix, whatever the size.
TEST(MatrixProduct, DeclaresForAVectorHalfAnOperationAByte) {
  constexpr OperatorCost cost = matmul_cost({.rows = 1024, .inner = 1024, .columns = 1});
  EXPECT_EQ(cost.flops, Flops(2 * 1024 * 1024));
  EXPECT_EQ(cost.traffic(), Bytes(4 * (1024 * 1024 + 2 * 1024)));
}

TEST(MatrixProduct, DeclaresForASquareTwiceTheCube) {
  EXPECT_EQ(matmul_cost(square(2048)).flops, Flops(std::int64_t{2} * 2048 * 2048 * 2048));
  EXPECT_EQ(matmul_cost(square(2048)).traffic(), Bytes(std::int64_t{3} * 4 * 2048 * 2048));
}

}  // namespace
}  // namespace steelyard::cpu_suite
