// Two linear layers, each followed by layer normalization: dim -> hidden -> dim, for one row. What it costs, and what a
// share of the arithmetic peak cannot be asked of it.
//
// Each weight is read once for two operations: one operation a byte in bf16. A device whose peak is far more than one
// operation for each byte that its memory brings cannot be held to a share of that peak: on an A100 with 40 GB the most
// is 1555 GB/s over 312 Tflop/s, half a percent. So this form's target is one of bandwidth. A target of 0.8 of the peak
// was published for it; it came from time multiplied by work, which reads 0.8 where the kernel runs at 1164 GB/s, 75 %
// of that device's bandwidth: that share is the target here.
#pragma once

#include "bench/suites/cuda/gemv/gemv_reference.hpp"
#include "bench/suites/cuda/rows/row_references.hpp"

namespace steelyard::cuda_suite {

struct MlpLayerNormShape {
  std::size_t dim = 0;
  std::size_t hidden = 0;
};

inline constexpr std::size_t kMlpHidden = 14336;

// The two products alone: 2 * 2 * hidden * dim operations.
constexpr OperatorCost mlp_layer_norm_products_cost(MlpLayerNormShape shape) {
  return gemv_cost({.rows = shape.hidden, .columns = shape.dim}, sizeof(Bf16)) +
         gemv_cost({.rows = shape.dim, .columns = shape.hidden}, sizeof(Bf16));
}

constexpr OperatorCost mlp_layer_norm_cost(MlpLayerNormShape shape) {
  return mlp_layer_norm_products_cost(shape) + layer_norm_cost({.rows = 1, .columns = shape.hidden}, sizeof(Bf16)) +
         layer_norm_cost({.rows = 1, .columns = shape.dim}, sizeof(Bf16));
}

}  // namespace steelyard::cuda_suite
