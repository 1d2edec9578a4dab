#include "bench/suites/cpu/cdist.hpp"

#include <gtest/gtest.h>

#include "bench/suites/cpu/agreement.hpp"
#include "bench/suites/cpu/seeded_values.hpp"

namespace steelyard::cpu_suite {
namespace {

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
}  // namespace steelyard::cpu_suite
