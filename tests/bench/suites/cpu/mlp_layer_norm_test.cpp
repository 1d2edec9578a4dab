#include "bench/suites/cpu/mlp_layer_norm.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "bench/suites/cpu/agreement.hpp"
#include "bench/suites/cpu/seeded_values.hpp"

namespace steelyard::cpu_suite {
namespace {

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
}  // namespace steelyard::cpu_suite
