#include <gtest/gtest.h>

#include "bench/suites/cuda/gemv/gemv_reference.hpp"
#include "bench/suites/cuda/mlp_layer_norm/mlp_layer_norm_costs.hpp"
#include "bench/suites/cuda/rows/row_references.hpp"
#include "tests/bench/suites/cuda_kernels/played_kernels.hpp"

namespace steelyard::cuda_suite::cuda_mlp_layer_norm_test {
namespace {

constexpr FlopsPerSecond kPeak(312e12);
constexpr BytesPerSecond kBandwidth(1555e9);

TEST(MlpLayerNormCost, IsOneOperationAByte) {
  constexpr MlpLayerNormShape shape{.dim = 4096, .hidden = kMlpHidden};
  static_assert(mlp_layer_norm_products_cost(shape).flops == Flops(2LL * 2 * 14336 * 4096));
  EXPECT_NEAR(*intensity(mlp_layer_norm_cost(shape)), 1.0, 0.001);
}

TEST(MlpLayerNormCost, ReadsHalfAPercentOfThePeakAtTheMemorysRate) {
  // 151.05 us at width 4096 on an A100 with 40 GB: where the weights come at its full bandwidth.
  constexpr OperatorCost cost = mlp_layer_norm_products_cost({.dim = 4096, .hidden = kMlpHidden});
  const double share = *utilization(cost.flops, Nanoseconds(151050), kPeak);
  EXPECT_NEAR(share, 0.00498, 0.000005);
  EXPECT_NEAR(*utilization(cost.flops, Nanoseconds(302100), kPeak), share / 2, 1e-12);
  EXPECT_NEAR(attainable(cost, kPeak, kBandwidth).count() / kPeak.count(), 0.00498, 0.00001);
}

TEST(MlpLayerNormCost, PublishedFigureIsThreeQuartersOfTheBandwidth) {
  // Time times work over the peak, averaged over the widths, read 0.8 at 1164 GB/s.
  double mean = 0;
  for (const std::size_t dim : {1024u, 4096u, 8192u, 16384u}) {
    const double flops = 2.0 * 2 * 14336 * static_cast<double>(dim);
    const double microseconds = flops / 1164e9 * 1e6;  // as many bytes as operations
    mean += microseconds * flops / 1e9 / 312 / 4;
  }
  EXPECT_NEAR(mean, 0.8, 0.001);
  EXPECT_NEAR(1164.0 / 1555.0, 0.75, 0.002);
}

TEST(MlpLayerNorm, IsWithinTheBoundsOfItsStages) {
  constexpr MlpLayerNormShape shape{.dim = 136, .hidden = 200};
  const auto x = seeded_array<Bf16>(shape.dim, 41);
  const auto expand = seeded_array<Bf16>(shape.hidden * shape.dim, 42);
  const auto weights = seeded_array<float>(shape.hidden, 43);
  const auto biases = seeded_array<float>(shape.hidden, 44);
  PlayedArray<Bf16> hidden(shape.hidden);
  PlayedArray<Bf16> normal(shape.hidden);
  play_gemv<Bf16>({{shape.hidden, shape.dim}, expand.data(), nullptr, nullptr, 1, x.data(), hidden.data()}, {1, 32});
  play_rows(LayerNorm{weights.data(), biases.data()}, {1, shape.hidden}, hidden.data(), normal.data());
  std::vector<Wanted> products;
  for (std::size_t row = 0; row < shape.hidden; ++row) {
    products.push_back(dot_wanted(
        {shape.dim, 8, 32, 1},
        [&](std::size_t i) { return static_cast<double>(widened(expand.data()[row * shape.dim + i])); },
        [&](std::size_t i) { return static_cast<double>(widened(x.data()[i])); }));
  }
  EXPECT_TRUE(agreement("expand", to_doubles(hidden.values()), products));
  EXPECT_TRUE(agreement("normal", to_doubles(normal.values()),
                        layer_norm_wanted<Bf16>(to_doubles(hidden.values()), weights.values(), biases.values())));
}

}  // namespace
}  // namespace steelyard::cuda_suite::cuda_mlp_layer_norm_test
