#include "bench/suites/cpu/product_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "bench/suites/cpu/seeded_values.hpp"

namespace steelyard::cpu_suite {
namespace {

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

}  // namespace
}  // namespace steelyard::cpu_suite
