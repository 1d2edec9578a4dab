#include "bench/suites/cpu/mlp.hpp"

#include <cblas.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "bench/profile/spans/span.hpp"

namespace steelyard::cpu_suite {

void mlp_forward(MlpShape shape, std::span<const float> inputs, std::span<const float> weights,
                 std::span<float> scratch, std::span<float> results) {
  assert(shape.layers >= 1);
  // The layers write to the two buffers by turns, such that the last one writes to `results`.
  std::span<float> target = shape.layers % 2 == 1 ? results : scratch;
  std::span<float> other = shape.layers % 2 == 1 ? scratch : results;
  std::span<const float> source = inputs;
  const std::size_t layer_size = shape.dim * shape.dim;
  const auto batch = static_cast<std::int64_t>(shape.batch), dim = static_cast<std::int64_t>(shape.dim);
  for (std::size_t layer = 0; layer < shape.layers; ++layer) {
    {
      STEELYARD_SPAN("mlp/linear", .shapes = {{batch, dim}, {dim, dim}},
                     .flops = span_flops(matmul_cost(shape.layer())), .bytes = span_bytes(matmul_cost(shape.layer())));
      matmul(shape.layer(), source, weights.subspan(layer * layer_size, layer_size), target);
    }
    {
      STEELYARD_SPAN("mlp/gelu", .shapes = {{batch, dim}}, .flops = span_flops(gelu_fused_cost(target.size())),
                     .bytes = span_bytes(gelu_fused_cost(target.size())));
      gelu_fused(target, target);
    }
    source = target;
    std::swap(target, other);
  }
}

std::vector<double> mlp_reference(MlpShape shape, std::span<const float> inputs, std::span<const float> weights) {
  std::vector<double> values(inputs.begin(), inputs.end());
  const std::size_t layer_size = shape.dim * shape.dim;
  for (std::size_t layer = 0; layer < shape.layers; ++layer) {
    std::vector<double> sums(values.size());
    for (std::size_t i = 0; i < sums.size(); ++i) {
      for (std::size_t k = 0; k < shape.dim; ++k) {
        const std::size_t row = i / shape.dim;
        const std::size_t column = i % shape.dim;
        sums[i] +=
            values[row * shape.dim + k] * static_cast<double>(weights[layer * layer_size + k * shape.dim + column]);
      }
    }
    std::transform(sums.begin(), sums.end(), values.begin(), gelu_in_double);
  }
  return values;
}

namespace {

// outputs = inputs * transposed(weights); inputs: rows x inner, weights: columns x inner.
void linear(ProductExtent extent, std::span<const float> inputs, std::span<const float> weights,
            std::span<float> outputs) {
  const auto inner = static_cast<blasint>(extent.inner);
  const auto columns = static_cast<blasint>(extent.columns);
  const auto rows = static_cast<std::int64_t>(extent.rows);
  STEELYARD_SPAN("mlp_layer_norm/linear", .shapes = {{rows, inner}, {columns, inner}},
                 .flops = span_flops(mm_cost(extent)), .bytes = span_bytes(mm_cost(extent)));
  if (extent.rows == 1) {
    cblas_sgemv(CblasRowMajor, CblasNoTrans, columns, inner, 1.0f, weights.data(), inner, inputs.data(), 1, 0.0f,
                outputs.data(), 1);
    return;
  }
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, static_cast<blasint>(extent.rows), columns, inner, 1.0f,
              inputs.data(), inner, weights.data(), inner, 0.0f, outputs.data(), columns);
}

void normalize(RowsShape shape, std::span<float> values, std::span<const float> weights,
               std::span<const float> biases) {
  const auto rows = static_cast<std::int64_t>(shape.rows), columns = static_cast<std::int64_t>(shape.columns);
  STEELYARD_SPAN("mlp_layer_norm/layer_norm", .shapes = {{rows, columns}}, .flops = span_flops(layer_norm_cost(shape)),
                 .bytes = span_bytes(layer_norm_cost(shape)));
  layer_norm(shape, values, weights, biases, values);
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
  normalize({.rows = shape.batch, .columns = shape.hidden}, hidden, parameters.hidden_weights,
            parameters.hidden_biases);
  linear({.rows = shape.batch, .inner = shape.hidden, .columns = shape.dim}, hidden, parameters.reduce, results);
  normalize({.rows = shape.batch, .columns = shape.dim}, results, parameters.weights, parameters.biases);
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
