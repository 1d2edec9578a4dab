// The forward pass of a multilayer perceptron: each layer a square matrix product without bias, then GELU.
#pragma once

#include <span>
#include <vector>

#include "bench/harness/operator_cost.hpp"
#include "bench/suites/cpu/gelu.hpp"
#include "bench/suites/cpu/matrix_product.hpp"

namespace steelyard::cpu_suite {

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

}  // namespace steelyard::cpu_suite
