#include "bench/suites/cpu/mlp_training.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "bench/suites/cpu/agreement.hpp"

namespace steelyard::cpu_suite::mlp_training_test {
namespace {

struct Training {
  MlpTrainingShape shape;
  std::vector<float> inputs = seeded_values(shape.values(), 1);
  std::vector<float> weights = seeded_values(shape.weights(), 2);
  std::vector<float> biases = seeded_values(shape.biases(), 3);

  explicit Training(MlpTrainingShape of) : shape(of) {}
  MlpParameters parameters() const { return {inputs, weights, biases}; }
  std::vector<double> reference() const { return mlp_training_reference(shape, parameters()); }
};

TEST(MlpTraining, AgreesWithDoublePrecisionForOneAndManyLayersAndSteps) {
  for (const std::size_t layers : {1u, 2u, 3u}) {
    for (const std::size_t steps : {1u, 2u, 3u}) {
      const Training given({.mlp = {.batch = 3, .dim = 5, .layers = layers}, .steps = steps});
      MlpTraining training(given.shape);
      std::fill(training.answer().begin(), training.answer().end(), std::numeric_limits<float>::quiet_NaN());
      training.run(given.parameters());
      EXPECT_EQ(disagreement(training.answer(), given.reference(), 1e-4), std::nullopt) << layers << " " << steps;
    }
  }
}

TEST(MlpTraining, GivesTheSameAgainWhenItRunsAgain) {
  const Training given({.mlp = {.batch = 3, .dim = 5, .layers = 2}, .steps = 2});
  MlpTraining training(given.shape);
  training.run(given.parameters());
  const std::vector<float> first(training.answer().begin(), training.answer().end());
  training.run(given.parameters());
  EXPECT_EQ(std::vector<float>(training.answer().begin(), training.answer().end()), first);
}

double loss(const Training& given) {
  const std::vector<double> answer = given.reference();
  return std::accumulate(answer.begin(), answer.begin() + static_cast<std::ptrdiff_t>(given.shape.values()), 0.0);
}

// The slope of the loss when one of `values` moves, which the gradient has to be.
double slope(Training& given, float& value) {
  constexpr float kStep = 1.0f / 1024;
  const float kept = value;
  value = kept + kStep;
  const double above = loss(given);
  const double high = value;
  value = kept - kStep;
  const double below = loss(given);
  const double low = value;
  value = kept;
  return (above - below) / (high - low);
}

TEST(MlpTraining, ReferenceGradientsAreTheSlopesOfTheLoss) {
  Training given({.mlp = {.batch = 2, .dim = 3, .layers = 2}, .steps = 1});
  const std::vector<double> answer = given.reference();
  const std::size_t first = given.shape.values();
  std::size_t at = first;
  for (float& value : given.inputs) EXPECT_NEAR(answer[at++], slope(given, value), 1e-5);
  for (float& value : given.weights) EXPECT_NEAR(answer[at++], slope(given, value), 1e-5);
  for (float& value : given.biases) EXPECT_NEAR(answer[at++], slope(given, value), 1e-5);
  EXPECT_EQ(at, answer.size());
}

TEST(MlpTraining, ReferenceAddsTheSameGradientsEveryStep) {
  const std::vector<double> once = Training({.mlp = {.batch = 2, .dim = 3, .layers = 2}, .steps = 1}).reference();
  const std::vector<double> thrice = Training({.mlp = {.batch = 2, .dim = 3, .layers = 2}, .steps = 3}).reference();
  for (std::size_t i = 0; i < once.size(); ++i) EXPECT_EQ(thrice[i], (i < 6 ? 1 : 3) * once[i]) << i;
}

TEST(MlpTraining, DeclaresThreeProductsOfEqualSizeALayerAndStep) {
  constexpr MlpTrainingShape shape{.mlp = {.batch = 2, .dim = 3, .layers = 4}, .steps = 5};
  constexpr std::int64_t kProduct = 2 * 2 * 3 * 3;
  EXPECT_EQ(mlp_training_product_flops(shape), Flops(5 * 4 * 3 * kProduct));
  EXPECT_EQ(mlp_training_cost(shape).flops, Flops(5 * 4 * (3 * kProduct + (9 + 18 + 1) * 6)));
}

// The workload of CS336: dim 256, 4 layers, batch 256, 2 steps; one axis at a time grows to five times that.
constexpr MlpTrainingShape kBase{.mlp = {.batch = 256, .dim = 256, .layers = 4}, .steps = 2};

double exponent(Flops base, Flops grown) { return std::log(grown / base) / std::log(5.0); }

TEST(MlpTraining, CostGrowsExactlyLinearlyWithStepsLayersAndBatch) {
  MlpTrainingShape steps = kBase;
  steps.steps *= 5;
  MlpTrainingShape layers = kBase;
  layers.mlp.layers *= 5;
  MlpTrainingShape batch = kBase;
  batch.mlp.batch *= 5;
  for (const MlpTrainingShape& grown : {steps, layers, batch}) {
    EXPECT_EQ(mlp_training_cost(grown).flops, mlp_training_cost(kBase).flops * 5);
    EXPECT_DOUBLE_EQ(exponent(mlp_training_cost(kBase).flops, mlp_training_cost(grown).flops), 1.0);
  }
  // The weights' bytes do not grow with the batch.
  EXPECT_LT(mlp_training_cost(batch).traffic(), mlp_training_cost(kBase).traffic() * 5);
}

TEST(MlpTraining, CostGrowsWithTheSquareOfDimButForTheElementwisePart) {
  MlpTrainingShape dim = kBase;
  dim.mlp.dim *= 5;
  EXPECT_DOUBLE_EQ(exponent(mlp_training_product_flops(kBase), mlp_training_product_flops(dim)), 2.0);
  const double whole = exponent(mlp_training_cost(kBase).flops, mlp_training_cost(dim).flops);
  EXPECT_GT(whole, 1.98);
  EXPECT_LT(whole, 2.0);
}

}  // namespace
}  // namespace steelyard::cpu_suite::mlp_training_test
