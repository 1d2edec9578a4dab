// The forward pass of a multilayer perceptron: each layer a square matrix product without bias, then GELU.
#pragma once

#include <span>
#include <vector>

#include "bench/harness/operator_cost.hpp"
#include "bench/suites/cpu/gelu.hpp"
#include "bench/suites/cpu/layer_norm.hpp"
#include "bench/suites/cpu/matrix_product.hpp"

namespace steelyard::cpu_suite {

// A cost as a span says it (bench/profile/spans/span.hpp).
constexpr double span_flops(const OperatorCost& cost) { return static_cast<double>(cost.flops.count()); }
constexpr double span_bytes(const OperatorCost& cost) { return static_cast<double>(cost.traffic().count()); }

struct MlpShape {
  std::size_t batch = 0;
  std::size_t dim = 0;
  std::size_t layers = 0;  // at least 1

  constexpr ProductShape layer() const { return {.rows = batch, .inner = dim, .columns = dim}; }
};

// inputs, results, scratch: batch x dim, none of them the same memory; weights: layers x dim x dim.
void mlp_forward(MlpShape shape, std::span<const float> inputs, std::span<const float> weights,
                 std::span<float> scratch, std::span<float> results);

std::vector<double> mlp_reference(MlpShape shape, std::span<const float> inputs, std::span<const float> weights);

constexpr OperatorCost mlp_cost(MlpShape shape) {
  return (matmul_cost(shape.layer()) + gelu_fused_cost(shape.batch * shape.dim)) * shape.layers;
}

// Two linear layers, each followed by layer normalization: dim -> hidden -> dim. The block that gpt-fast's benchmark
// times; its target name speaks of a GELU that the original does not have, and neither has this one.
//
// With one row the weights are read once for two operations each, so memory bounds it; a batch above the ridge point
// (peak over bandwidth, in operations per weight) makes the arithmetic the bound. Both are offered.

struct MlpLayerNormShape {
  std::size_t batch = 1;
  std::size_t dim = 0;
  std::size_t hidden = 0;
};

// inputs: batch x dim; expand: hidden x dim; reduce: dim x hidden (a row an output, as frameworks store them); the
// normalizations' weights and biases: hidden values each for the first, dim for the second.
struct MlpLayerNormParameters {
  std::span<const float> inputs;
  std::span<const float> expand;
  std::span<const float> reduce;
  std::span<const float> hidden_weights;
  std::span<const float> hidden_biases;
  std::span<const float> weights;
  std::span<const float> biases;
};

// hidden: batch x hidden of scratch space; results: batch x dim.
void mlp_layer_norm(MlpLayerNormShape shape, const MlpLayerNormParameters& parameters, std::span<float> hidden,
                    std::span<float> results);

// The results of one row of the inputs: rows do not know of each other.
std::vector<double> mlp_layer_norm_reference(MlpLayerNormShape shape, const MlpLayerNormParameters& parameters,
                                             std::size_t row);

// The two linear layers alone: 2 * 2 * hidden * dim operations a row.
constexpr OperatorCost mlp_layer_norm_products_cost(MlpLayerNormShape shape) {
  return mm_cost({.rows = shape.batch, .inner = shape.dim, .columns = shape.hidden}) +
         mm_cost({.rows = shape.batch, .inner = shape.hidden, .columns = shape.dim});
}

constexpr OperatorCost mlp_layer_norm_cost(MlpLayerNormShape shape) {
  return mlp_layer_norm_products_cost(shape) + layer_norm_cost({.rows = shape.batch, .columns = shape.hidden}) +
         layer_norm_cost({.rows = shape.batch, .columns = shape.dim});
}

}  // namespace steelyard::cpu_suite
