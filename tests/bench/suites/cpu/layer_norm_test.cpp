#include <gtest/gtest.h>

#include <cmath>

#include "bench/suites/cpu/agreement.hpp"
#include "bench/suites/cpu/layer_norm.hpp"

namespace steelyard::cpu_suite::layer_norm_test {
namespace {

TEST(LayerNorm, AgreesWithTheReference) {
  constexpr RowsShape shape{.rows = 3, .columns = 9};
  const std::vector<float> values = seeded_values(27, 5);
  const std::vector<float> weights = seeded_values(9, 6);
  const std::vector<float> biases = seeded_values(9, 7);
  std::vector<float> results(27);
  layer_norm(shape, values, weights, biases, results);
  EXPECT_EQ(disagreement(results, layer_norm_reference(shape, values, weights, biases), 2e-6), std::nullopt);
}

TEST(LayerNorm, ReferenceHasTheWeightsAndBiasesOfItsColumns) {
  // Mean 0, variance 1 up to epsilon: what is left are the weights and biases.
  const std::vector<float> values{-1, 1};
  const std::vector<double> results =
      layer_norm_reference({.rows = 1, .columns = 2}, values, std::vector<float>{2, 3}, std::vector<float>{10, 20});
  EXPECT_NEAR(results[0], 8, 1e-4);
  EXPECT_NEAR(results[1], 23, 1e-4);
}

TEST(LayerNorm, KeepsTheSpreadOfValuesFarFromZero) {
  // A mean of squares less the square of the mean has no digit left here.
  const std::vector<float> values{100000, 100001, 100002, 100003};
  const std::vector<float> ones(4, 1.0f);
  const std::vector<float> zeros(4, 0.0f);
  std::vector<float> results(4);
  layer_norm({.rows = 1, .columns = 4}, values, ones, zeros, results);
  EXPECT_NEAR(results[0], -1.3416, 1e-3);
  EXPECT_NEAR(results[3], 1.3416, 1e-3);
}

TEST(LayerNorm, OfAConstantRowIsItsBiases) {
  const std::vector<float> values(3, 5.0f);
  const std::vector<float> ones(3, 1.0f);
  const std::vector<float> biases{1, 2, 3};
  std::vector<float> results(3);
  layer_norm({.rows = 1, .columns = 3}, values, ones, biases, results);
  EXPECT_EQ(results, biases);
}

TEST(LayerNorm, DeclaresTheOperationsOfItsRows) {
  constexpr OperatorCost cost = layer_norm_cost({.rows = 2, .columns = 4});
  EXPECT_EQ(cost.flops, Flops(2 * ((3 + 1) + 4 + 4 + (3 + 1) + 3 + 4 + 4 + 4)));
  EXPECT_EQ(cost.read, Bytes(4 * (8 + 4 + 4)));
  EXPECT_EQ(cost.written, Bytes(4 * 8));
}

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

}  // namespace steelyard::cpu_suite::layer_norm_test
