#include "bench/suites/cpu/softmax.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "bench/suites/cpu/agreement.hpp"
#include "bench/suites/cpu/seeded_values.hpp"

namespace steelyard::cpu_suite {
namespace {

TEST(Softmax, AgreesWithTheReference) {
  constexpr RowsShape shape{.rows = 3, .columns = 11};
  const std::vector<float> values = seeded_values(33, 4, 8.0f);
  std::vector<float> results(33);
  softmax(shape, values, results);
  EXPECT_EQ(disagreement(results, softmax_reference(shape, values), 1e-6), std::nullopt);
}

TEST(Softmax, ReferenceOfLogarithmsAreTheirShares) {
  const std::vector<float> values{0.0f, std::log(3.0f)};
  const std::vector<double> shares = softmax_reference({.rows = 1, .columns = 2}, values);
  EXPECT_NEAR(shares[0], 0.25, 1e-7);
  EXPECT_NEAR(shares[1], 0.75, 1e-7);
}

TEST(Softmax, DoesNotOverflowWhereExpWould) {
  const std::vector<float> values{1000, 1000, -1000};
  std::vector<float> results(3);
  softmax({.rows = 1, .columns = 3}, values, results);
  EXPECT_EQ(results, (std::vector<float>{0.5f, 0.5f, 0}));
}

TEST(Softmax, OfOneColumnIsOne) {
  std::vector<float> values{-3, 7};
  softmax({.rows = 2, .columns = 1}, values, values);
  EXPECT_EQ(values, (std::vector<float>{1, 1}));
}

TEST(Softmax, DeclaresTheOperationsOfItsRows) {
  constexpr OperatorCost cost = softmax_cost({.rows = 2, .columns = 3});
  EXPECT_EQ(cost.flops, Flops(2 * (2 + 3 + 3 + 2 + 1 + 3)));
  EXPECT_EQ(cost.read, Bytes(4 * 6));
  EXPECT_EQ(cost.written, Bytes(4 * 6));
}

}  // namespace
}  // namespace steelyard::cpu_suite
