// Multilayer perceptrons: forward, training steps with the scaling sweeps, and the block with layer normalization.
#include "bench/suites/cpu/agreement.hpp"
#include "bench/suites/cpu/checked_timing.hpp"
#include "bench/suites/cpu/kernel_benchmarks.hpp"
#include "bench/suites/cpu/mlp.hpp"
#include "bench/suites/cpu/mlp_training.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

namespace steelyard::cpu_suite {
namespace {

using Values = std::vector<float>;

// Of weights, so that a layer's sums are about as large as its inputs, whatever the width: the variance of an even
// spread is limit^2/3.
float weight_limit(std::size_t inputs) { return std::sqrt(3.0f / static_cast<float>(inputs)); }

void time_mlp(benchmark::State& state) {
  const MlpShape shape{.batch = size_of(state, 0), .dim = size_of(state, 1), .layers = size_of(state, 2)};
  const Values inputs = seeded_values(shape.batch * shape.dim, 12);
  const float limit = weight_limit(shape.dim);
  const Values weights = seeded_values(shape.layers * shape.dim * shape.dim, 13, limit);
  Values scratch(inputs.size());
  Values results(inputs.size());
  // Each layer adds the rounding of its sums, smaller than dot_tolerance by the weights' limit.
  const double tolerance = static_cast<double>(shape.layers) *
                           (dot_tolerance(shape.dim) * static_cast<double>(limit) + kElementwiseTolerance);
  time_checked(
      state, mlp_cost(shape), results, [&] { mlp_forward(shape, inputs, weights, scratch, results); },
      [&] { return disagreement(results, mlp_reference(shape, inputs, weights), tolerance); });
}

// A gradient of the weights is a sum over the batch, of numbers that every layer on the way up and down has rounded.
double training_tolerance(MlpTrainingShape shape) {
  const double layer = dot_tolerance(shape.mlp.dim) * static_cast<double>(weight_limit(shape.mlp.dim));
  return static_cast<double>(2 * shape.mlp.layers * shape.steps) *
         (layer + kElementwiseTolerance + dot_tolerance(shape.mlp.batch));
}

void time_mlp_training(benchmark::State& state) {
  const MlpTrainingShape shape{
      .mlp = {.batch = size_of(state, 0), .dim = size_of(state, 1), .layers = size_of(state, 2)},
      .steps = size_of(state, 3)};
  const Values inputs = seeded_values(shape.values(), 12);
  const Values weights = seeded_values(shape.weights(), 13, weight_limit(shape.mlp.dim));
  const Values biases = seeded_values(shape.biases(), 24, 0.1f);
  const MlpParameters parameters{inputs, weights, biases};
  MlpTraining training(shape);
  time_checked(
      state, mlp_training_cost(shape), training.answer(), [&] { training.run(parameters); },
      [&] {
        return disagreement(training.answer(), mlp_training_reference(shape, parameters), training_tolerance(shape));
      });
}

// All rows of a small batch; of a large one three at random, and that no value of the others is left unwritten.
std::optional<std::string> mlp_layer_norm_fault(MlpLayerNormShape shape, const MlpLayerNormParameters& parameters,
                                                std::span<const float> results) {
  std::set<std::size_t> rows;
  std::mt19937 engine(25);
  const bool is_large = shape.batch * shape.dim * shape.hidden > 1u << 23;
  while (rows.size() < (is_large ? std::min<std::size_t>(3, shape.batch) : shape.batch)) {
    rows.insert(is_large ? engine() % shape.batch : rows.size());
  }
  // Two layers round their sums, and dividing by the deviation, about a half, doubles what the first one did.
  const double tolerance =
      kElementwiseTolerance + 3 * (dot_tolerance(shape.dim) * static_cast<double>(weight_limit(shape.dim)) +
                                   dot_tolerance(shape.hidden) * static_cast<double>(weight_limit(shape.hidden)));
  for (const std::size_t row : rows) {
    const auto answer = results.subspan(row * shape.dim, shape.dim);
    if (auto fault = disagreement(answer, mlp_layer_norm_reference(shape, parameters, row), tolerance)) {
      return "row " + std::to_string(row) + ": " + *fault;
    }
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!std::isfinite(results[i])) return "value " + std::to_string(i) + " is not finite";
  }
  return std::nullopt;
}

void time_mlp_layer_norm(benchmark::State& state) {
  const MlpLayerNormShape shape{.batch = size_of(state, 0), .dim = size_of(state, 1), .hidden = size_of(state, 2)};
  const Values inputs = seeded_values(shape.batch * shape.dim, 26);
  const Values expand = seeded_values(shape.hidden * shape.dim, 27, weight_limit(shape.dim));
  const Values reduce = seeded_values(shape.hidden * shape.dim, 28, weight_limit(shape.hidden));
  const Values hidden_weights = seeded_values(shape.hidden, 29);
  const Values hidden_biases = seeded_values(shape.hidden, 30);
  const Values weights = seeded_values(shape.dim, 31);
  const Values biases = seeded_values(shape.dim, 32);
  const MlpLayerNormParameters parameters{inputs, expand, reduce, hidden_weights, hidden_biases, weights, biases};
  Values hidden(shape.batch * shape.hidden);
  Values results(inputs.size());
  time_checked(
      state, mlp_layer_norm_cost(shape), results, [&] { mlp_layer_norm(shape, parameters, hidden, results); },
      [&] { return mlp_layer_norm_fault(shape, parameters, results); });
}

void add_training(SuiteRegistration& suite, MlpTrainingShape shape, bool is_small = false) {
  const Sizes sizes{
      {"batch", shape.mlp.batch}, {"dim", shape.mlp.dim}, {"layers", shape.mlp.layers}, {"steps", shape.steps}};
  const OperatorCost cost = mlp_training_cost(shape);
  is_small ? suite.add("mlp_training/f32", sizes, cost, &time_mlp_training)
           : suite.add_large("mlp_training/f32", sizes, cost, &time_mlp_training);
}

// The base, and one axis at a time at two to five times that.
void add_training_sweeps(SuiteRegistration& suite, const MlpTrainingShape& base) {
  add_training(suite, base);
  for (std::size_t times = 2; times <= 5; ++times) {
    MlpTrainingShape steps = base;
    steps.steps *= times;
    add_training(suite, steps);
    MlpTrainingShape layers = base;
    layers.mlp.layers *= times;
    add_training(suite, layers);
    MlpTrainingShape batch = base;
    batch.mlp.batch *= times;
    add_training(suite, batch);
    MlpTrainingShape dim = base;
    dim.mlp.dim *= times;
    add_training(suite, dim);
  }
}

}  // namespace

void add_mlp_benchmarks(SuiteRegistration& suite) {
  const MlpShape forward{.batch = 16, .dim = 128, .layers = 3};
  suite.add("mlp/f32", {{"batch", forward.batch}, {"dim", forward.dim}, {"layers", forward.layers}}, mlp_cost(forward),
            &time_mlp);
  add_training(suite, {.mlp = {.batch = 32, .dim = 64, .layers = 2}, .steps = 2}, true);
  // CS336's base and the shape that its lecture profiles; and sweeps small enough to count instructions of.
  add_training_sweeps(suite, {.mlp = {.batch = 256, .dim = 256, .layers = 4}, .steps = 2});
  add_training(suite, {.mlp = {.batch = 128, .dim = 128, .layers = 16}, .steps = 5});
  add_training_sweeps(suite, {.mlp = {.batch = 64, .dim = 64, .layers = 2}, .steps = 2});
  // One row, and a batch above the ridge point: of this suite's sizes on a CPU, of gpt-fast's on an A100 (201).
  const auto add_block = [&](MlpLayerNormShape shape) {
    suite.add("mlp_layer_norm/f32", {{"batch", shape.batch}, {"dim", shape.dim}, {"hidden", shape.hidden}},
              mlp_layer_norm_cost(shape), &time_mlp_layer_norm);
  };
  for (const std::size_t batch : {1u, 64u}) add_block({.batch = batch, .dim = 128, .hidden = 448});
  for (const std::size_t dim : {1024u, 4096u, 8192u, 16384u}) {
    for (const std::size_t batch : {1u, 208u}) add_block({.batch = batch, .dim = dim, .hidden = 14336});
  }
}

}  // namespace steelyard::cpu_suite
