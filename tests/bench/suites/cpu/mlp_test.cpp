#include "bench/suites/cpu/mlp.hpp"

#include <gtest/gtest.h>

#include "bench/suites/cpu/agreement.hpp"
#include "bench/suites/cpu/seeded_values.hpp"

namespace steelyard::cpu_suite {
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

}  // namespace
}  // namespace steelyard::cpu_suite
