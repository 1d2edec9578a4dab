// Whether every operator of a perceptron's steps computed what it should of what lay in its operands: sums, activations
// and gradients, layer by layer, each by sampled elements in float64 (products/product_check.hpp). So bounds do not
// grow with the layers, and a large shape costs no more than the samples. How the operators are wired is stated here a
// second time, as the formulas of the chain rule.
//
// With u the unit roundoff of the results' format, z a sum plus its bias:
//   sums          rounded once; chain: once more before the bias is added: u |sum|
//   activations   |gelu'| is at most 1.13; the sum is rounded before: 1.13 u (|sum| + |z|); GELU itself is off by
//                 2^-10 |z| at most, as tanh.approx of sm75 and later is within 2^-11 (PTX ISA, "tanh")
//   gradients     gelu' is off by 2^-9 (1 + |z|); chain: the sum is rounded before
//   of parameters and inputs: rounded once a step
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "bench/harness/operator_cost.hpp"
#include "bench/suites/cuda/products/product_check.hpp"

namespace steelyard::cuda_suite {

// Training steps of a multilayer perceptron without the update of its weights: forward, then backward, `steps` times.
// Each layer is a square product with a bias, then GELU in its tanh form. The loss is the sum of the results; gradients
// of weights, biases and inputs add up over the steps. The same workload as the CPU suite's, weights as frameworks keep
// them (outputs by inputs).
//
// Two forms. Fused: bias, GELU and GELU's gradient are done by the product's own kernel, and so is the bias's gradient.
// Chain: every one of them is a kernel that reads and writes memory.

struct MlpShape {
  std::size_t batch = 0;
  std::size_t dim = 0;     // a multiple of 8: values are moved in packs
  std::size_t layers = 1;  // at least 1
  std::size_t steps = 1;   // at least 1

  constexpr std::size_t values() const { return batch * dim; }  // of one layer's activations
  constexpr std::size_t weights() const { return dim * dim; }   // of one layer
  bool operator==(const MlpShape&) const = default;
};

enum class MlpForm { fused, chain };

// Eight multiplications and additions and one tanh a value; of the gradient 18 (the CPU suite's vector_gelu.hpp counts
// them out).
inline constexpr std::size_t kGeluFlops = 9;
inline constexpr std::size_t kGeluGradientFlops = 18;

// The multiplications and additions of the products alone: one a layer forward, two more backward.
constexpr Flops mlp_forward_product_flops(const MlpShape& shape) {
  return operations(2 * shape.values() * shape.dim * shape.layers * shape.steps);
}
constexpr Flops mlp_training_product_flops(const MlpShape& shape) {
  return mlp_forward_product_flops(shape) * std::int64_t{3};
}

// One forward pass; shape.steps of them. keeps_sums: what GELU was taken of is written too, for the way back.
constexpr OperatorCost mlp_forward_cost(const MlpShape& shape, MlpForm form, std::size_t value_bytes,
                                        bool keeps_sums = false) {
  const auto bytes = [&](std::size_t count) { return bytes_of(count, value_bytes); };
  const std::size_t n = shape.values();
  OperatorCost layer{operations(2 * n * shape.dim + kGeluFlops * n), bytes(n + shape.weights() + shape.dim),
                     bytes(keeps_sums ? 2 * n : n)};
  if (form == MlpForm::chain) {
    // Three links: the product; plus the bias, in place; GELU.
    layer.read = bytes(n + shape.weights()) + bytes(n + shape.dim) + bytes(n);
    layer.written = bytes(3 * n);
  }
  return layer * (shape.layers * shape.steps);
}

constexpr OperatorCost mlp_training_cost(const MlpShape& shape, MlpForm form, std::size_t value_bytes) {
  const auto bytes = [&](std::size_t count) { return bytes_of(count, value_bytes); };
  const std::size_t n = shape.values();
  const std::size_t weights = shape.weights();
  const Flops product = operations(2 * n * shape.dim);
  // Gradient of the weights, with the bias's sums: fused in one, else a kernel that reads the gradient once more.
  const OperatorCost weight_gradient{product + operations(n), bytes(form == MlpForm::fused ? 2 * n : 3 * n),
                                     bytes(weights + shape.dim)};
  const OperatorCost input_gradient{product, bytes(n + weights), bytes(n)};
  // GELU's gradient. The last layer has no product that it could be part of: the gradient of its results is 1.
  const OperatorCost last{operations(kGeluGradientFlops * n), bytes(n), bytes(n)};
  const OperatorCost inside{operations(kGeluGradientFlops * n), bytes(form == MlpForm::fused ? n : 2 * n),
                            bytes(form == MlpForm::fused ? 0 : n)};
  const OperatorCost step = mlp_forward_cost({shape.batch, shape.dim, shape.layers, 1}, form, value_bytes, true) +
                            (weight_gradient + input_gradient) * shape.layers + last + inside * (shape.layers - 1);
  // From the second step on the gradients that are there are read, to be added to.
  const OperatorCost added{Flops(0), bytes((weights + shape.dim) * shape.layers + n), Bytes(0)};
  return step * shape.steps + added * (shape.steps - 1);
}

// How many kernels these steps are where each product is one.
struct MlpKernels {
  bool trains = false;
  std::size_t column_sums = 1;  // of one bias's gradient in the chain
};
constexpr std::int64_t mlp_launches(const MlpShape& shape, MlpForm form, MlpKernels kernels) {
  const bool chain = form == MlpForm::chain;
  const std::size_t forward = shape.layers * (chain ? 3 : 1);  // product; bias; GELU
  // The gradient of the last GELU; of each layer the gradients of weights, bias and inputs; of the others' GELUs.
  const std::size_t backward =
      1 + shape.layers * (2 + (chain ? kernels.column_sums : 0)) + (chain ? shape.layers - 1 : 0);
  // Fused, the bias's gradients of each further step are added by a kernel.
  const std::size_t added = chain ? 0 : shape.steps - 1;
  return static_cast<std::int64_t>(forward * shape.steps + (kernels.trains ? backward * shape.steps + added : 0));
}

// The base shape and, one axis at a time, two to five times it: how the time grows with each is a claim that
// `steelyard sweep` checks.
struct MlpSweeps {
  MlpShape base;
  std::vector<std::int64_t> values(std::size_t base_value) const;
  bool contains(const MlpShape& shape) const;
};
inline constexpr std::size_t kMaxTimes = 5;

// A matrix that is read back, of whatever memory.
struct MatrixReader {
  std::function<Values(std::size_t)> row;
  std::function<Values(std::size_t)> column;
};

// By layer, each batch x dim unless said otherwise. Those of the way back are empty for a forward pass; sums are empty
// where nothing keeps them.
struct MlpReaders {
  MatrixReader inputs;
  std::vector<MatrixReader> weights;  // dim x dim, outputs by inputs
  std::vector<MatrixReader> biases;   // 1 x dim
  std::vector<MatrixReader> sums;
  std::vector<MatrixReader> activations;
  std::vector<MatrixReader> sum_gradients;     // of the sums, of one step
  std::vector<MatrixReader> weight_gradients;  // dim x dim, of all steps
  std::vector<MatrixReader> bias_gradients;    // 1 x dim, of all steps
  MatrixReader input_gradient;                 // of all steps
};

// bands: rows and columns that are sampled of each matrix.
Result<void> check_mlp(const MlpShape& shape, const ProductType& type, const MlpReaders& readers, std::uint64_t seed,
                       std::size_t bands = 16);

double gelu_slope_in_double(double x);

}  // namespace steelyard::cuda_suite
