#include "bench/suites/cuda/mlp/mlp_memory.hpp"

#include <cmath>

#include "bench/suites/cuda/arithmetic/seeded_inputs.hpp"

namespace steelyard::cuda_suite {
namespace {

MatrixReader reader_of(const DeviceMatrix& matrix) {
  return {[matrix](std::size_t i) { return matrix.row(i); }, [matrix](std::size_t j) { return matrix.column(j); }};
}

}  // namespace

std::vector<MatrixReader> LayeredMemory::readers() const {
  std::vector<MatrixReader> readers;
  for (std::size_t layer = 0; layer < layers_; ++layer)
    readers.push_back(reader_of(memory_.view(layer * rows_, rows_)));
  return readers;
}

MlpMemory::MlpMemory(const MlpShape& shape, NumberFormat format, bool keeps, bool has_way_back)
    : keeps_sums(keeps || has_way_back),
      trains(has_way_back),
      inputs(format, shape.batch, shape.dim),
      weights(format, shape.layers, shape.dim, shape.dim),
      biases(format, shape.layers, 1, shape.dim),
      activations(format, shape.layers, shape.batch, shape.dim) {
  if (keeps_sums) sums = LayeredMemory(format, shape.layers, shape.batch, shape.dim);
  if (!trains) return;
  sum_gradients = LayeredMemory(format, shape.layers, shape.batch, shape.dim);
  weight_gradients = LayeredMemory(format, shape.layers, shape.dim, shape.dim);
  bias_gradients = LayeredMemory(format, shape.layers, 1, shape.dim);
  step_bias_gradients = LayeredMemory(format, shape.layers, 1, shape.dim);
  input_gradient = MatrixMemory(format, shape.batch, shape.dim);
}

void MlpMemory::fill(const MlpShape& shape, std::uint64_t seed) {
  inputs.fill(seed_of_operand(seed, 1));
  weights.all().fill(seed_of_operand(seed, 2), std::sqrt(6.0f / static_cast<float>(shape.dim)));
  biases.all().fill(seed_of_operand(seed, 3), 0.1f);
  wait_for_device("filling the perceptron's memory");
}

void MlpMemory::poison() {
  activations.all().poison();
  if (keeps_sums) sums.all().poison();
  if (!trains) return;
  sum_gradients.all().poison();
  weight_gradients.all().poison();
  bias_gradients.all().poison();
  step_bias_gradients.all().poison();
  input_gradient.poison();
}

MlpReaders MlpMemory::readers() const {
  MlpReaders readers;
  readers.inputs = reader_of(inputs.view());
  readers.weights = weights.readers();
  readers.biases = biases.readers();
  readers.activations = activations.readers();
  if (keeps_sums) readers.sums = sums.readers();
  if (!trains) return readers;
  readers.sum_gradients = sum_gradients.readers();
  readers.weight_gradients = weight_gradients.readers();
  readers.bias_gradients = bias_gradients.readers();
  readers.input_gradient = reader_of(input_gradient.view());
  return readers;
}

Result<void> MlpMemory::all_written() const {
  STEELYARD_CHECK(activations.all().view().all_written("activations of all layers"));
  if (keeps_sums) STEELYARD_CHECK(sums.all().view().all_written("sums of all layers"));
  if (!trains) return {};
  STEELYARD_CHECK(sum_gradients.all().view().all_written("gradients of the sums of all layers"));
  STEELYARD_CHECK(weight_gradients.all().view().all_written("gradients of the weights of all layers"));
  STEELYARD_CHECK(bias_gradients.all().view().all_written("gradients of the biases of all layers"));
  return input_gradient.view().all_written("gradient of the inputs");
}

}  // namespace steelyard::cuda_suite
