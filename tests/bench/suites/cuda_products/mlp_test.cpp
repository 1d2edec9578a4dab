// The perceptron's shapes and costs, its kernels' arithmetic played on the CPU, and its checks on an answer that was
// computed plainly here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "bench/suites/cuda/arithmetic/seeded_inputs.hpp"
#include "bench/suites/cuda/elementwise/elementwise_references.hpp"
#include "bench/suites/cuda/mlp/gelu_pass.hpp"
#include "bench/suites/cuda/mlp/mlp_check.hpp"
#include "bench/suites/cuda/mlp/mlp_layer_norm_block.hpp"

namespace steelyard::cuda_suite::mlp_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(MlpShape, CostsCountEachOperatorOnce) {
  const MlpShape one{.batch = 2, .dim = 8, .layers = 1, .steps = 1};
  EXPECT_EQ(mlp_forward_product_flops(one), Flops(2 * 2 * 8 * 8));
  EXPECT_EQ(mlp_training_product_flops(one), Flops(3 * 2 * 2 * 8 * 8));
  // Inputs, weights and bias in; activations out.
  EXPECT_EQ(mlp_forward_cost(one, MlpForm::fused, 2),
            (OperatorCost{Flops(256 + 9 * 16), Bytes(2 * (16 + 64 + 8)), Bytes(2 * 16)}));
  // The product; its result and the bias, in place; GELU.
  EXPECT_EQ(mlp_forward_cost(one, MlpForm::chain, 2),
            (OperatorCost{Flops(256 + 9 * 16), Bytes(2 * (16 + 64 + 16 + 8 + 16)), Bytes(2 * 48)}));
  // Forward with sums; gradient of the weights with the bias's; of the inputs; GELU's slope.
  EXPECT_EQ(mlp_training_cost(one, MlpForm::fused, 2),
            (OperatorCost{Flops(256 + 144 + 256 + 16 + 256 + 288), Bytes(2 * (88 + 32 + 80 + 16)),
                          Bytes(2 * (32 + 72 + 16 + 16))}));
  const MlpShape two{.batch = 2, .dim = 8, .layers = 1, .steps = 2};
  EXPECT_EQ(
      mlp_training_cost(two, MlpForm::fused, 2),
      mlp_training_cost(one, MlpForm::fused, 2) * 2 + (OperatorCost{Flops(0), Bytes(2 * (64 + 8 + 16)), Bytes(0)}));
}

TEST(MlpShape, TheChainMovesMoreForTheSameArithmetic) {
  const MlpShape shape{.batch = 256, .dim = 256, .layers = 4, .steps = 2};
  const OperatorCost fused = mlp_training_cost(shape, MlpForm::fused, 2);
  const OperatorCost chain = mlp_training_cost(shape, MlpForm::chain, 2);
  EXPECT_EQ(fused.flops, chain.flops);
  EXPECT_GT(chain.traffic(), fused.traffic());
}

TEST(MlpShape, SweepsVaryOneAxisAtATime) {
  const MlpSweeps sweeps{{.batch = 256, .dim = 256, .layers = 4, .steps = 2}};
  EXPECT_THAT(sweeps.values(256), ElementsAre(256, 512, 768, 1024, 1280));
  EXPECT_TRUE(sweeps.contains(sweeps.base));
  EXPECT_TRUE(sweeps.contains({.batch = 256, .dim = 768, .layers = 4, .steps = 2}));
  EXPECT_FALSE(sweeps.contains({.batch = 512, .dim = 768, .layers = 4, .steps = 2}));
  EXPECT_FALSE(sweeps.contains({.batch = 256, .dim = 1536, .layers = 4, .steps = 2}));
}

// The claims of the sweeps, of the products alone: linear in steps, layers and batch, quadratic in dim.
TEST(MlpShape, ProductsGrowAsTheSweepsClaim) {
  const MlpShape base{.batch = 256, .dim = 256, .layers = 4, .steps = 2};
  const auto flops = [](const MlpShape& shape) { return mlp_training_product_flops(shape).count(); };
  EXPECT_EQ(flops({.batch = 256, .dim = 256, .layers = 4, .steps = 6}), 3 * flops(base));
  EXPECT_EQ(flops({.batch = 256, .dim = 256, .layers = 12, .steps = 2}), 3 * flops(base));
  EXPECT_EQ(flops({.batch = 768, .dim = 256, .layers = 4, .steps = 2}), 3 * flops(base));
  EXPECT_EQ(flops({.batch = 256, .dim = 768, .layers = 4, .steps = 2}), 9 * flops(base));
}

TEST(LayerNormBlock, CostIsThatOfTheTwoProductsAndTheTwoNormalizations) {
  const OperatorCost cost = layer_norm_block_cost({.rows = 2, .dim = 3, .hidden = 5});
  EXPECT_EQ(cost.flops, Flops(2 * 2 * 2 * 3 * 5 + 2 * (7 * 5 + 3) + 2 * (7 * 3 + 3)));
  EXPECT_EQ(cost.read, Bytes(2 * (6 + 15) + 2 * 10 + 4 * 10 + 2 * (10 + 15) + 2 * 6 + 4 * 6));
  EXPECT_EQ(cost.written, Bytes(2 * 10 + 2 * 10 + 2 * 6 + 2 * 6));
}

// Above the ridge point arithmetic bounds the block; with one row it is memory, on every device of the datasheets.
TEST(LayerNormBlock, IsAboveTheRidgePointWithTheRowsItIsOfferedWith) {
  constexpr double kHighestRidge = 403;  // flop a byte; an L4
  EXPECT_LT(*intensity(layer_norm_block_cost({.rows = 1, .dim = 4096, .hidden = kBlockHidden})), 1.1);
  EXPECT_GT(*intensity(layer_norm_block_cost({.rows = 512, .dim = 4096, .hidden = kBlockHidden})), 295);
  EXPECT_GT(*intensity(layer_norm_block_cost({.rows = 4096, .dim = 4096, .hidden = kBlockHidden})), kHighestRidge);
  EXPECT_EQ(block_target(4096, 4096), "0.85 of measured flops");
  EXPECT_EQ(block_target(512, 4096), "0.75 of measured flops");
  EXPECT_EQ(block_target(4096, 1024), "");
}

TEST(GeluPass, SlopeIsTheDerivativeOfGelu) {
  for (double x = -12; x <= 12; x += 0.037) {
    constexpr double kStep = 1e-5;
    const double slope = (gelu_in_double(x + kStep) - gelu_in_double(x - kStep)) / (2 * kStep);
    EXPECT_NEAR(gelu_slope_in_double(x), slope, 1e-8) << x;
    EXPECT_NEAR(static_cast<double>(GeluSlope{}(static_cast<float>(x))), slope, 1e-5) << x;
    EXPECT_LT(slope, 1.13);
  }
  EXPECT_EQ(GeluSlope{}(1e30f), 1.0f);
  EXPECT_EQ(GeluSlope{}(-1e30f), 0.0f);
  EXPECT_EQ(gelu_slope_in_double(-1e30), 0.0);
}

template <class T>
std::vector<T> seeded(std::size_t count, std::uint64_t seed) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = seeded_value<T>(seed, i);
  return values;
}

template <class T>
void play_passes() {
  constexpr std::size_t kRows = 3;
  constexpr std::size_t kColumns = 16;
  constexpr std::size_t kPacks = kRows * kColumns / kLanes<T>;
  alignas(16) T values[kRows * kColumns];
  alignas(16) T upstream[kRows * kColumns];
  alignas(16) T results[kRows * kColumns];
  alignas(16) T bias[kColumns];
  const auto given = seeded<T>(kRows * kColumns, 1);
  std::copy(given.begin(), given.end(), values);
  const auto gradients = seeded<T>(kRows * kColumns, 2);
  std::copy(gradients.begin(), gradients.end(), upstream);
  const auto added = seeded<T>(kColumns, 3);
  std::copy(added.begin(), added.end(), bias);
  for (std::size_t pack = 0; pack < kPacks; ++pack) add_bias(values, bias, kColumns, pack);
  for (std::size_t i = 0; i < kRows * kColumns; ++i) {
    EXPECT_EQ(widened(values[i]), widened(narrowed<T>(widened(given[i]) + widened(bias[i % kColumns])))) << i;
  }
  for (std::size_t pack = 0; pack < kPacks; ++pack) gelu_of(values, results, pack);
  for (std::size_t i = 0; i < kRows * kColumns; ++i) {
    EXPECT_EQ(widened(results[i]), widened(narrowed<T>(Gelu{}(widened(values[i]), 0.0f)))) << i;
  }
  for (std::size_t pack = 0; pack < kPacks; ++pack) gelu_gradient_of(values, upstream, results, pack);
  for (std::size_t i = 0; i < kRows * kColumns; ++i) {
    EXPECT_EQ(widened(results[i]), widened(narrowed<T>(GeluSlope{}(widened(values[i])) * widened(upstream[i])))) << i;
  }
  const T* none = nullptr;
  for (std::size_t pack = 0; pack < kPacks; ++pack) gelu_gradient_of(values, none, results, pack);
  EXPECT_EQ(widened(results[7]), widened(narrowed<T>(GeluSlope{}(widened(values[7])))));
}

TEST(GeluPass, EachPackIsThatOfItsPlace) {
  play_passes<float>();
  play_passes<Bf16>();
  play_passes<F16>();
}

// As column_sums and join_slices add: by lanes within a slice, slice by slice.
template <class T>
std::vector<float> played_column_sums(const std::vector<T>& values, std::size_t rows, std::size_t columns,
                                      std::size_t slices) {
  std::vector<float> results(columns);
  for (std::size_t slice = 0; slice < slices; ++slice) {
    for (std::size_t pack = 0; pack < columns / kLanes<T>; ++pack) {
      float of_slice[kLanes<T>] = {};
      for (unsigned lane = 0; lane < kColumnLanes; ++lane) {
        float sums[kLanes<T>];
        column_part(values.data(), columns, row_slice(rows, slices, slice), pack, lane, sums);
        for (int i = 0; i < kLanes<T>; ++i) of_slice[i] += sums[i];
      }
      for (int i = 0; i < kLanes<T>; ++i) results[pack * kLanes<T> + static_cast<std::size_t>(i)] += of_slice[i];
    }
  }
  return results;
}

template <class T>
void expect_column_sums() {
  for (const std::size_t rows : {1u, 7u, 32u, 33u, 300u}) {
    for (const std::size_t slices : {1u, 2u, 9u}) {
      constexpr std::size_t kColumns = 16;
      const auto values = seeded<T>(rows * kColumns, 4);
      const auto sums = played_column_sums(values, rows, kColumns, slices);
      for (std::size_t column = 0; column < kColumns; ++column) {
        double wanted = 0;
        for (std::size_t row = 0; row < rows; ++row)
          wanted += static_cast<double>(widened(values[row * kColumns + column]));
        EXPECT_NEAR(static_cast<double>(sums[column]), wanted, 1e-5 * static_cast<double>(rows))
            << rows << ' ' << slices;
      }
    }
  }
}

TEST(ColumnSums, AddEveryRowOfEverySliceOnce) {
  expect_column_sums<float>();
  expect_column_sums<Bf16>();
  expect_column_sums<F16>();
}

TEST(ColumnSums, ReadPacksOfFourRowsAtOnceAndFillADevice) {
  // The lecture's 256 x 256 of 16 bits: one block of columns, so that the rows are cut, but no finer than the threads
  // have on their way.
  EXPECT_EQ(column_slices(256, 32, 132), 8u);
  EXPECT_EQ(column_slices(4096, 256, 132), 33u);
  // Columns enough for every multiprocessor; few rows; as many slices as there is memory for.
  EXPECT_EQ(column_slices(4096, 16384, 132), 1u);
  EXPECT_EQ(column_slices(31, 32, 132), 1u);
  EXPECT_EQ(column_slices(1 << 20, 32, 132), kMaxColumnSlices);
  EXPECT_EQ(column_slices(0, 0, 132), 1u);
}

TEST(MlpKernels, AreCountedAsTheStepsLaunchThem) {
  const MlpShape one{.batch = 64, .dim = 64, .layers = 3, .steps = 1};
  EXPECT_EQ(mlp_launches(one, MlpForm::fused, {}), 3);
  EXPECT_EQ(mlp_launches(one, MlpForm::chain, {}), 9);
  // Forward; the last slope; gradients of weights (with the biases') and inputs.
  EXPECT_EQ(mlp_launches(one, MlpForm::fused, {.trains = true}), 3 + 1 + 2 * 3);
  // Forward; the last slope; gradients of weights, biases in two kernels, and inputs; the other slopes.
  EXPECT_EQ(mlp_launches(one, MlpForm::chain, {.trains = true, .column_sums = 2}), 9 + 1 + 4 * 3 + 2);
  const MlpShape two{.batch = 64, .dim = 64, .layers = 3, .steps = 2};
  EXPECT_EQ(mlp_launches(two, MlpForm::fused, {.trains = true}), 2 * 10 + 1);
}

// A perceptron computed plainly; every operator's result is rounded to the type, unless exact.
struct PlainMlp {
  MlpShape shape;
  const ProductType& type;
  bool exact;
  Values inputs = rounded(shape.values(), 1, 1.0);
  std::vector<Values> weights;
  std::vector<Values> biases;
  std::vector<Values> sums;
  std::vector<Values> activations;
  std::vector<Values> sum_gradients;
  std::vector<Values> weight_gradients;
  std::vector<Values> bias_gradients;
  Values input_gradient;

  PlainMlp(const MlpShape& of, const char* dtype, bool is_exact = false)
      : shape(of), type(*find_product_type(dtype)), exact(is_exact) {
    for (std::size_t layer = 0; layer < shape.layers; ++layer) {
      weights.push_back(rounded(shape.weights(), 10 + layer, std::sqrt(6.0 / static_cast<double>(shape.dim))));
      biases.push_back(rounded(shape.dim, 20 + layer, 0.1));
    }
    run();
  }

  double round(double value) const {
    if (exact) return value;
    return type.results == NumberFormat::bf16 ? static_cast<double>(widened(narrowed<Bf16>(static_cast<float>(value))))
                                              : static_cast<double>(static_cast<float>(value));
  }
  Values rounded(std::size_t count, std::uint64_t seed, double limit) const {
    Values values;
    for (std::size_t i = 0; i < count; ++i) {
      values.push_back(round(limit * static_cast<double>(seeded_value<float>(seed, i))));
    }
    return values;
  }
  const Values& layer_inputs(std::size_t layer) const { return layer == 0 ? inputs : activations[layer - 1]; }

  void run() {
    const std::size_t d = shape.dim;
    sums.assign(shape.layers, Values(shape.values()));
    activations = sums;
    sum_gradients = sums;
    weight_gradients.assign(shape.layers, Values(shape.weights()));
    bias_gradients.assign(shape.layers, Values(d));
    input_gradient.assign(shape.values(), 0);
    for (std::size_t layer = 0; layer < shape.layers; ++layer) {
      for (std::size_t i = 0; i < shape.values(); ++i) {
        double sum = biases[layer][i % d];
        for (std::size_t k = 0; k < d; ++k) sum += layer_inputs(layer)[i / d * d + k] * weights[layer][i % d * d + k];
        sums[layer][i] = round(sum);
        activations[layer][i] = round(gelu_in_double(sums[layer][i]));
      }
    }
    for (std::size_t step = 0; step < shape.steps; ++step) backward();
  }

  void backward() {
    const std::size_t d = shape.dim;
    for (std::size_t layer = shape.layers; layer-- > 0;) {
      const bool is_last = layer + 1 == shape.layers;
      Values& gradients = sum_gradients[layer];
      for (std::size_t i = 0; i < shape.values(); ++i) {
        double upstream = is_last ? 1 : 0;
        for (std::size_t k = 0; !is_last && k < d; ++k) {
          upstream += sum_gradients[layer + 1][i / d * d + k] * weights[layer + 1][k * d + i % d];
        }
        gradients[i] = round(upstream * gelu_slope_in_double(sums[layer][i]));
      }
      for (std::size_t o = 0; o < d; ++o) {
        double bias = bias_gradients[layer][o];
        for (std::size_t row = 0; row < shape.batch; ++row) bias += gradients[row * d + o];
        bias_gradients[layer][o] = round(bias);
        for (std::size_t i = 0; i < d; ++i) {
          double weight = weight_gradients[layer][o * d + i];
          for (std::size_t row = 0; row < shape.batch; ++row) {
            weight += gradients[row * d + o] * layer_inputs(layer)[row * d + i];
          }
          weight_gradients[layer][o * d + i] = round(weight);
        }
      }
    }
    for (std::size_t i = 0; i < shape.values(); ++i) {
      double sum = input_gradient[i];
      for (std::size_t k = 0; k < d; ++k) sum += sum_gradients[0][i / d * d + k] * weights[0][k * d + i % d];
      input_gradient[i] = round(sum);
    }
  }

  double loss() const {
    double sum = 0;
    for (const double value : activations.back()) sum += value;
    return sum;
  }

  MatrixReader reader(const Values& values) const {
    const std::size_t columns = shape.dim;
    return {[&values, columns](std::size_t i) {
              const auto begin = values.begin() + static_cast<std::ptrdiff_t>(i * columns);
              return Values(begin, begin + static_cast<std::ptrdiff_t>(columns));
            },
            [&values, columns](std::size_t j) {
              Values column;
              for (std::size_t at = j; at < values.size(); at += columns) column.push_back(values[at]);
              return column;
            }};
  }
  std::vector<MatrixReader> readers(const std::vector<Values>& layers) const {
    std::vector<MatrixReader> all;
    for (const Values& values : layers) all.push_back(reader(values));
    return all;
  }
  Result<void> check() const {
    return check_mlp(shape, type,
                     {.inputs = reader(inputs),
                      .weights = readers(weights),
                      .biases = readers(biases),
                      .sums = readers(sums),
                      .activations = readers(activations),
                      .sum_gradients = readers(sum_gradients),
                      .weight_gradients = readers(weight_gradients),
                      .bias_gradients = readers(bias_gradients),
                      .input_gradient = reader(input_gradient)},
                     5);
  }
};

constexpr MlpShape kSmall{.batch = 12, .dim = 16, .layers = 3, .steps = 1};

// The oracle of the oracle: the loss moves by what the gradients say.
TEST(MlpCheck, ThePlainGradientsAreTheSlopesOfTheLoss) {
  const PlainMlp plain(kSmall, "f32", true);
  constexpr double kStep = 1e-5;
  const auto slope = [&](auto change) {
    PlainMlp above = plain;
    change(above, kStep);
    above.run();
    PlainMlp below = plain;
    change(below, -kStep);
    below.run();
    return (above.loss() - below.loss()) / (2 * kStep);
  };
  for (std::size_t layer = 0; layer < kSmall.layers; ++layer) {
    EXPECT_NEAR(plain.weight_gradients[layer][37],
                slope([&](PlainMlp& mlp, double step) { mlp.weights[layer][37] += step; }), 1e-6);
    EXPECT_NEAR(plain.bias_gradients[layer][7],
                slope([&](PlainMlp& mlp, double step) { mlp.biases[layer][7] += step; }), 1e-6);
  }
  EXPECT_NEAR(plain.input_gradient[50], slope([](PlainMlp& mlp, double step) { mlp.inputs[50] += step; }), 1e-6);
}

TEST(MlpCheck, ARightAnswerPassesInEveryDtypeAndForSeveralSteps) {
  for (const char* dtype : {"f32", "tf32", "bf16"}) {
    for (const std::size_t steps : {1u, 5u}) {
      MlpShape shape = kSmall;
      shape.steps = steps;
      const auto right = PlainMlp(shape, dtype).check();
      EXPECT_TRUE(right) << dtype << ", " << steps << " steps: " << (right ? "" : right.error().text());
    }
  }
}

TEST(MlpCheck, EachWrongMatrixIsNamed) {
  const auto fault = [](auto spoil) {
    PlainMlp mlp(kSmall, "bf16");
    spoil(mlp);
    const auto right = mlp.check();
    return right ? std::string("no fault") : right.error().text();
  };
  const auto scaled = [](Values& values) {
    for (double& value : values) value *= 1.2;
  };
  EXPECT_THAT(fault([&](PlainMlp& mlp) { scaled(mlp.sums[1]); }), HasSubstr("layer 1, sums"));
  EXPECT_THAT(fault([&](PlainMlp& mlp) { scaled(mlp.activations[2]); }), HasSubstr("layer 2, activations"));
  EXPECT_THAT(fault([&](PlainMlp& mlp) { scaled(mlp.sum_gradients[2]); }), HasSubstr("layer 2, gradient of the sums"));
  EXPECT_THAT(fault([&](PlainMlp& mlp) { scaled(mlp.weight_gradients[1]); }),
              HasSubstr("layer 1, gradient of the weights"));
  EXPECT_THAT(fault([&](PlainMlp& mlp) { scaled(mlp.bias_gradients[0]); }),
              HasSubstr("layer 0, gradient of the biases"));
  EXPECT_THAT(fault([&](PlainMlp& mlp) { scaled(mlp.input_gradient); }), HasSubstr("gradient of the inputs"));
  EXPECT_THAT(fault([&](PlainMlp& mlp) { mlp.activations[0][3] = std::nan(""); }), HasSubstr("layer 0, activations"));
}

// Two steps that were told to clear the gradients in between.
TEST(MlpCheck, GradientsOfOneStepAreNotThoseOfTwo) {
  PlainMlp mlp(kSmall, "bf16");
  mlp.shape.steps = 2;
  ASSERT_FALSE(mlp.check());
  EXPECT_THAT(mlp.check().error().text(), HasSubstr("gradient of the weights"));
}

}  // namespace
}  // namespace steelyard::cuda_suite::mlp_test
