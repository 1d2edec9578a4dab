#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "bench/suites/cpu/agreement.hpp"
#include "bench/suites/cpu/matrix_product.hpp"

namespace steelyard::cpu_suite::matrix_product_test {
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

using ::testing::HasSubstr;

struct Multiplied {
  ProductShape shape;
  std::vector<float> left = seeded_values(shape.rows * shape.inner, 1);
  std::vector<float> right = seeded_values(shape.inner * shape.columns, 2);
  std::vector<float> product = std::vector<float>(shape.rows * shape.columns);

  explicit Multiplied(ProductShape of) : shape(of) { matmul(shape, left, right, product); }
  std::optional<std::string> fault(std::uint32_t seed = 1) const {
    return product_fault(shape, left, right, product, seed);
  }
};

TEST(ProductCheck, TakesRightProductsOfEveryShape) {
  for (const ProductShape shape :
       {ProductShape{1, 1, 1}, ProductShape{3, 4, 5}, ProductShape{70, 1, 90}, ProductShape{1, 500, 2}, square(200),
        ProductShape{16, 16384, 16}, ProductShape{2, 64, 16384}}) {
    EXPECT_EQ(Multiplied(shape).fault(), std::nullopt) << shape.rows << " " << shape.inner << " " << shape.columns;
  }
}

// Wherever it is and whatever the seed: both signs of the vector show it.
TEST(ProductCheck, FindsOneWrongValueAmongManyWithEverySeed) {
  Multiplied multiplied(square(200));
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    std::vector<float> right_one = multiplied.product;
    multiplied.product[seed * 797 % 40000] += 0.25f;  // a lost product of two values of [-1, 1], on average
    EXPECT_THAT(multiplied.fault(seed).value_or(""), HasSubstr("times a vector of signs")) << seed;
    multiplied.product = right_one;
  }
  EXPECT_EQ(multiplied.fault(), std::nullopt);
}

TEST(ProductCheck, FindsASmallErrorOfEveryValueInItsSample) {
  Multiplied multiplied(square(200));
  // Opposite errors in the same row may cancel under the signs; a sampled value stands alone.
  for (std::size_t i = 0; i < multiplied.product.size(); ++i) multiplied.product[i] += i % 2 == 0 ? 1e-3f : -1e-3f;
  EXPECT_NE(multiplied.fault(), std::nullopt);
}

TEST(ProductCheck, FindsWhatWasNeverWritten) {
  Multiplied multiplied(square(64));
  multiplied.product.back() = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(multiplied.fault().value_or(""), HasSubstr("row 63"));
}

TEST(ProductCheck, FindsAProductOfTheWrongSize) {
  Multiplied multiplied(square(4));
  multiplied.product.pop_back();
  EXPECT_THAT(multiplied.fault().value_or(""), HasSubstr("15 values, wanted 16"));
}

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

TEST(Cdist, BothWaysAgreeWithDoublePrecision) {
  for (const CdistShape shape : {CdistShape{1, 1, 1}, CdistShape{3, 5, 7}, CdistShape{17, 4, 33}}) {
    const std::vector<float> left = seeded_values(shape.lefts * shape.dim, 1);
    const std::vector<float> right = seeded_values(shape.rights * shape.dim, 2);
    const std::vector<double> wanted = cdist_reference(shape, left, right);
    std::vector<float> norms(shape.rights, 99.0f);
    std::vector<float> distances(shape.lefts * shape.rights, 99.0f);
    cdist_product(shape, left, right, norms, distances);
    EXPECT_EQ(disagreement(distances, wanted, 1e-4), std::nullopt) << shape.dim;
    std::fill(distances.begin(), distances.end(), 99.0f);
    cdist_direct(shape, left, right, distances);
    EXPECT_EQ(disagreement(distances, wanted, 1e-5), std::nullopt) << shape.dim;
  }
}

// The differences of equal rows are zeros; of the product's large numbers some digits are lost, but none is negative.
TEST(Cdist, OfEqualRowsIsZeroDirectlyAndNearlyZeroByTheProduct) {
  const CdistShape shape{.lefts = 4, .rights = 4, .dim = 64};
  const std::vector<float> rows = seeded_values(shape.lefts * shape.dim, 3);
  std::vector<float> norms(shape.rights);
  std::vector<float> distances(shape.lefts * shape.rights);
  cdist_direct(shape, rows, rows, distances);
  for (std::size_t i = 0; i < shape.lefts; ++i) EXPECT_EQ(distances[i * shape.rights + i], 0.0f);
  cdist_product(shape, rows, rows, norms, distances);
  for (std::size_t i = 0; i < shape.lefts; ++i) {
    EXPECT_GE(distances[i * shape.rights + i], 0.0f);
    EXPECT_LT(distances[i * shape.rights + i], 0.01f);
  }
}

TEST(Cdist, ReferenceOfAKnownTriangle) {
  const std::vector<float> left{0, 0};
  const std::vector<float> right{3, 4, 0, 2};
  EXPECT_EQ(cdist_reference({.lefts = 1, .rights = 2, .dim = 2}, left, right), (std::vector<double>{5, 2}));
}

TEST(Cdist, DeclaresWhatEachWayDoes) {
  constexpr CdistShape shape{.lefts = 2, .rights = 3, .dim = 5};
  constexpr OperatorCost direct = cdist_direct_cost(shape);
  EXPECT_EQ(direct.flops, Flops(6 * (3 * 5 + 1)));
  EXPECT_EQ(direct.read, Bytes(4 * 5 * 5));
  EXPECT_EQ(direct.written, Bytes(4 * 6));
  constexpr OperatorCost product = cdist_product_cost(shape);
  EXPECT_EQ(product.flops, Flops(2 * 5 * 5 + 6 + 2 * 6 * 5 + 2 * 6));
  EXPECT_EQ(product.read, Bytes(4 * (25 + 5 + (25 + 6) + 6)));
  EXPECT_EQ(product.written, Bytes(4 * (5 + 6 + 6 + 6)));
}

}  // namespace

}  // namespace steelyard::cpu_suite::matrix_product_test
