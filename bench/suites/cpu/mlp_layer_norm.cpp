#include "bench/suites/cpu/mlp_layer_norm.hpp"

#include <cblas.h>

#include <cassert>

namespace steelyard::cpu_suite {
namespace {

// outputs = inputs * transposed(weights); inputs: rows x inner, weights: columns x inner.
void linear(ProductExtent extent, std::span<const float> inputs, std::span<const float> weights,
            std::span<float> outputs) {
  const auto inner = static_cast<blasint>(extent.inner);
  const auto columns = static_cast<blasint>(extent.columns);
  if (extent.rows == 1) {
    cblas_sgemv(CblasRowMajor, CblasNoTrans, columns, inner, 1.0f, weights.data(), inner, inputs.data(), 1, 0.0f,
                outputs.data(), 1);
    return;
  }
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, static_cast<blasint>(extent.rows), columns, inner, 1.0f,
              inputs.data(), inner, weights.data(), inner, 0.0f, outputs.data(), columns);
}

// One row of outputs, kept in double.
std::vector<double> linear_in_double(std::span<const double> inputs, std::span<const float> weights,
                                     std::size_t columns) {
  std::vector<double> outputs(columns);
  for (std::size_t j = 0; j < columns; ++j) {
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      outputs[j] += inputs[k] * static_cast<double>(weights[j * inputs.size() + k]);
    }
  }
  return outputs;
}

}  // namespace

void mlp_layer_norm(MlpLayerNormShape shape, const MlpLayerNormParameters& parameters, std::span<float> hidden,
                    std::span<float> results) {
  assert(hidden.size() == shape.batch * shape.hidden && results.size() == shape.batch * shape.dim);
  linear({.rows = shape.batch, .inner = shape.dim, .columns = shape.hidden}, parameters.inputs, parameters.expand,
         hidden);
  layer_norm({.rows = shape.batch, .columns = shape.hidden}, hidden, parameters.hidden_weights,
             parameters.hidden_biases, hidden);
  linear({.rows = shape.batch, .inner = shape.hidden, .columns = shape.dim}, hidden, parameters.reduce, results);
  layer_norm({.rows = shape.batch, .columns = shape.dim}, results, parameters.weights, parameters.biases, results);
}

std::vector<double> mlp_layer_norm_reference(MlpLayerNormShape shape, const MlpLayerNormParameters& parameters,
                                             std::size_t row) {
  const auto inputs = parameters.inputs.subspan(row * shape.dim, shape.dim);
  const std::vector<double> wide(inputs.begin(), inputs.end());
  const std::vector<double> hidden = layer_norm_row_in_double(linear_in_double(wide, parameters.expand, shape.hidden),
                                                              parameters.hidden_weights, parameters.hidden_biases);
  return layer_norm_row_in_double(linear_in_double(hidden, parameters.reduce, shape.dim), parameters.weights,
                                  parameters.biases);
}

}  // namespace steelyard::cpu_suite
