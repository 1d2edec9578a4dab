#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "bench/suites/cpu/agreement.hpp"
#include "bench/suites/cpu/mlp.hpp"

namespace steelyard::cpu_suite::mlp_test {
namespace {

// 1 and 2 layers end in different buffers.
TEST(Mlp, AgreesWithTheReferenceForEvenAndOddNumbersOfLayers) {
  for (const std::size_t layers : {1u, 2u, 3u}) {
    const MlpShape shape{.batch = 3, .dim = 5, .layers = layers};
    const std::vector<float> inputs = seeded_values(15, 12);
    const std::vector<float> weights = seeded_values(layers * 25, 13);
    std::vector<float> scratch(15, 99.0f);
    std::vector<float> results(15, 99.0f);
    mlp_forward(shape, inputs, weights, scratch, results);
    EXPECT_EQ(disagreement(results, mlp_reference(shape, inputs, weights), 1e-5), std::nullopt) << layers;
    EXPECT_EQ(inputs, seeded_values(15, 12)) << "the inputs were written to";
  }
}

TEST(Mlp, ReferenceOfTheIdentityIsGeluOfGelu) {
  const std::vector<float> inputs{-1, 2};
  const std::vector<float> weights{1, 0, 0, 1, 1, 0, 0, 1};
  const std::vector<double> results = mlp_reference({.batch = 1, .dim = 2, .layers = 2}, inputs, weights);
  EXPECT_DOUBLE_EQ(results[0], gelu_in_double(gelu_in_double(-1)));
  EXPECT_DOUBLE_EQ(results[1], gelu_in_double(gelu_in_double(2)));
}

TEST(Mlp, DeclaresTheSumOfItsLayers) {
  constexpr MlpShape shape{.batch = 2, .dim = 3, .layers = 4};
  constexpr OperatorCost cost = mlp_cost(shape);
  EXPECT_EQ(cost.flops, Flops(4 * (2 * 2 * 3 * 3 + 9 * 2 * 3)));
  EXPECT_EQ(cost.read, Bytes(4 * 4 * ((6 + 9) + 6)));
  EXPECT_EQ(cost.written, Bytes(4 * 4 * (6 + 6)));
}

TEST(Mlp, GrowsLinearlyInLayersAndBatchAndFasterInDim) {
  constexpr MlpShape base{.batch = 4, .dim = 64, .layers = 2};
  constexpr double flops = static_cast<double>(mlp_cost(base).flops.count());
  EXPECT_EQ(static_cast<double>(mlp_cost({.batch = 8, .dim = 64, .layers = 2}).flops.count()), 2 * flops);
  EXPECT_EQ(static_cast<double>(mlp_cost({.batch = 4, .dim = 64, .layers = 4}).flops.count()), 2 * flops);
  EXPECT_GT(static_cast<double>(mlp_cost({.batch = 4, .dim = 128, .layers = 2}).flops.count()), 3.5 * flops);
}

TEST(MlpLayerNorm, AgreesWithDoublePrecisionForOneRowAndMany) {
  for (const std::size_t batch : {1u, 2u, 7u}) {
    const MlpLayerNormShape shape{.batch = batch, .dim = 6, .hidden = 11};
    const std::vector<float> inputs = seeded_values(batch * 6, 1);
    const std::vector<float> expand = seeded_values(66, 2);
    const std::vector<float> reduce = seeded_values(66, 3);
    const std::vector<float> hidden_weights = seeded_values(11, 4);
    const std::vector<float> hidden_biases = seeded_values(11, 5);
    const std::vector<float> weights = seeded_values(6, 6);
    const std::vector<float> biases = seeded_values(6, 7);
    const MlpLayerNormParameters parameters{inputs, expand, reduce, hidden_weights, hidden_biases, weights, biases};
    std::vector<float> hidden(batch * 11, std::numeric_limits<float>::quiet_NaN());
    std::vector<float> results(batch * 6, std::numeric_limits<float>::quiet_NaN());
    mlp_layer_norm(shape, parameters, hidden, results);
    for (std::size_t row = 0; row < batch; ++row) {
      EXPECT_EQ(
          disagreement(std::span(results).subspan(row * 6, 6), mlp_layer_norm_reference(shape, parameters, row), 1e-5),
          std::nullopt)
          << row << " of " << batch;
    }
  }
}

// One input 3, weights 1 and -1: 3 and -3, normalized to 1 and -1; their difference of one output is its own mean.
TEST(MlpLayerNorm, ReferenceOfKnownValues) {
  const std::vector<float> inputs{3};
  const std::vector<float> expand{1, -1};
  const std::vector<float> reduce{1, -1};
  const std::vector<float> ones{1, 1};
  const std::vector<float> zeros{0, 0};
  const std::vector<float> weight{5};
  const std::vector<float> bias{7};
  const MlpLayerNormParameters parameters{inputs, expand, reduce, ones, zeros, weight, bias};
  EXPECT_EQ(mlp_layer_norm_reference({.batch = 1, .dim = 1, .hidden = 2}, parameters, 0), (std::vector<double>{7}));
}

TEST(MlpLayerNorm, DeclaresFourOperationsAWeightPairAndRow) {
  constexpr MlpLayerNormShape token{.batch = 1, .dim = 4096, .hidden = 14336};
  EXPECT_EQ(mlp_layer_norm_products_cost(token).flops, Flops(2 * 2 * 14336LL * 4096));
  EXPECT_EQ(mlp_layer_norm_cost(token).flops,
            mlp_layer_norm_products_cost(token).flops + Flops(7 * 14336 + 3 + 7 * 4096 + 3));
}

}  // namespace

}  // namespace steelyard::cpu_suite::mlp_test
