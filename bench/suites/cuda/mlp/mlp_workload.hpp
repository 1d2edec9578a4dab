// The perceptron's passes as workloads of the device program.
#pragma once

#include <cstdint>
#include <memory>

#include "bench/cuda/workload.hpp"
#include "bench/suites/cuda/mlp/mlp_check.hpp"
#include "bench/suites/cuda/products/device_matrix.hpp"
#include "bench/suites/cuda/products/product_type.hpp"

namespace steelyard::cuda_suite {

// All memory of a perceptron's steps on the device: parameters, what the forward pass leaves, gradients.

// One matrix for each layer, one behind the other.
class LayeredMemory {
 public:
  LayeredMemory() = default;
  LayeredMemory(NumberFormat format, std::size_t layers, std::size_t rows, std::size_t columns)
      : rows_(rows), layers_(layers), memory_(format, layers * rows, columns) {}

  void* of(std::size_t layer) { return memory_.from_row(layer * rows_); }
  MatrixMemory& all() { return memory_; }
  const MatrixMemory& all() const { return memory_; }
  std::vector<MatrixReader> readers() const;

 private:
  std::size_t rows_ = 0;
  std::size_t layers_ = 0;
  MatrixMemory memory_;
};

struct MlpMemory {
  // keeps_sums: what GELU is taken of; trains: gradients.
  MlpMemory(const MlpShape& shape, NumberFormat format, bool keeps_sums, bool trains);

  // Inputs even over [-1, 1), weights such that sums keep their size from layer to layer: sqrt(6 / dim) is the limit
  // whose variance is 2 / dim, and GELU passes about half of a sum's square on. Biases even over [-0.1, 0.1). Waits.
  void fill(const MlpShape& shape, std::uint64_t seed);
  // All that a pass writes.
  void poison();
  MlpReaders readers() const;
  Result<void> all_written() const;

  bool keeps_sums;
  bool trains;
  MatrixMemory inputs;
  LayeredMemory weights;
  LayeredMemory biases;
  LayeredMemory sums;
  LayeredMemory activations;
  LayeredMemory sum_gradients;
  LayeredMemory weight_gradients;
  LayeredMemory bias_gradients;
  LayeredMemory step_bias_gradients;  // of one step, to be added to those
  MatrixMemory input_gradient;
};

struct MlpChoice {
  MlpShape shape;
  MlpForm form = MlpForm::fused;
  bool trains = false;  // and the way back
};

// In f32, tf32, f16 or bf16; the fused way back needs a dtype of 16 bits. shape.dim: a multiple of 8.
std::unique_ptr<cuda::Workload> make_mlp(const ProductType& type, const MlpChoice& choice);

}  // namespace steelyard::cuda_suite
