// Training steps of a multilayer perceptron without the update of its weights: forward, then backward, `steps` times.
// Each layer is a square matrix product with a bias, then GELU. The loss is the sum of the results; the gradients of
// weights, biases and inputs add up over the steps, as they do in a framework that was not told to clear them.
//
// The workload of Stanford's CS336 lecture on benchmarking, with two differences: its loss is the mean (a constant
// factor), and it needs no gradient of the inputs. Here the inputs have one, so that every layer costs the same.
#pragma once

#include <span>
#include <vector>

#include "bench/harness/operator_cost.hpp"
#include "bench/suites/cpu/gelu.hpp"
#include "bench/suites/cpu/mlp.hpp"
#include "bench/suites/cpu/vector_gelu.hpp"

namespace steelyard::cpu_suite {

struct MlpTrainingShape {
  MlpShape mlp;
  std::size_t steps = 1;  // at least 1

  constexpr std::size_t values() const { return mlp.batch * mlp.dim; }              // of one layer's activations
  constexpr std::size_t weights() const { return mlp.layers * mlp.dim * mlp.dim; }  // of all layers
  constexpr std::size_t biases() const { return mlp.layers * mlp.dim; }
};

// inputs: batch x dim; weights: layers x dim x dim, each inputs by outputs; biases: layers x dim.
struct MlpParameters {
  std::span<const float> inputs;
  std::span<const float> weights;
  std::span<const float> biases;
};

// Owns the memory of a pass, so that nothing is allocated while it is timed.
class MlpTraining {
 public:
  explicit MlpTraining(MlpTrainingShape shape);

  // All steps, from gradients of zero.
  void run(const MlpParameters& parameters);

  // Everything that a run yields, in this order: results (batch x dim), gradients of inputs, of weights, of biases.
  std::span<float> answer() { return answer_; }

 private:
  void forward(const MlpParameters& parameters);
  void backward(const MlpParameters& parameters, bool first_step);
  std::span<const float> layer_inputs(const MlpParameters& parameters, std::size_t layer) const;

  MlpTrainingShape shape_;
  std::vector<float> sums_;         // layers x batch x dim: what GELU is taken of
  std::vector<float> activations_;  // (layers - 1) x batch x dim; the last layer's are the results
  std::vector<float> upstream_;     // batch x dim
  std::vector<float> downstream_;   // batch x dim
  std::vector<float> answer_;
};

// The answer in double precision, by OpenBLAS's products in double where they pay.
std::vector<double> mlp_training_reference(MlpTrainingShape shape, const MlpParameters& parameters);

// The multiplications and additions of the matrix products alone: three of equal size a layer and step.
constexpr Flops mlp_training_product_flops(MlpTrainingShape shape) {
  return matmul_cost(shape.mlp.layer()).flops * static_cast<std::int64_t>(3 * shape.mlp.layers * shape.steps);
}

constexpr OperatorCost mlp_training_cost(MlpTrainingShape shape) {
  const MlpShape& mlp = shape.mlp;
  const ProductExtent forward{.rows = mlp.batch, .inner = mlp.dim, .columns = mlp.dim};
  const ProductExtent weight_gradient{.rows = mlp.dim, .inner = mlp.batch, .columns = mlp.dim};
  const OperatorCost bias_gradient{operations(shape.values()), floats(shape.values()), floats(mlp.dim)};
  const OperatorCost layer = addmm_cost(forward, mlp.dim) + gelu_fused_cost(shape.values()) +
                             gelu_gradient_cost(shape.values()) + mm_cost(weight_gradient) + bias_gradient +
                             mm_cost(forward);
  // From the second step on the gradients that are there are read, to be added to.
  const OperatorCost added{Flops(0), floats(shape.weights() + shape.biases() + shape.values()), Bytes(0)};
  return layer * (mlp.layers * shape.steps) + added * (shape.steps - 1);
}

}  // namespace steelyard::cpu_suite
