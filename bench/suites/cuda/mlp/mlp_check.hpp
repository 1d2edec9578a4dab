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

#include <functional>
#include <vector>

#include "bench/suites/cuda/mlp/mlp_shape.hpp"
#include "bench/suites/cuda/products/product_check.hpp"

namespace steelyard::cuda_suite {

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
