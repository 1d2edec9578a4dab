#include "bench/suites/cpu/mlp_training.hpp"

#include <cblas.h>

#include <algorithm>
#include <cassert>
#include <type_traits>

#include "bench/profile/spans/span.hpp"

namespace steelyard::cpu_suite {
namespace {

// result = left * right + beta * result; `left` and `right` as stored, `transposed` before they are multiplied.
template <class Value>
struct Product {
  CBLAS_TRANSPOSE left_as = CblasNoTrans;
  CBLAS_TRANSPOSE right_as = CblasNoTrans;
  ProductShape shape;
  Value beta = 0;
};

template <class Value>
void multiply(const Product<Value>& product, const Value* left, const Value* right, Value* result) {
  const auto rows = static_cast<blasint>(product.shape.rows);
  const auto inner = static_cast<blasint>(product.shape.inner);
  const auto columns = static_cast<blasint>(product.shape.columns);
  const blasint left_stride = product.left_as == CblasNoTrans ? inner : rows;
  const blasint right_stride = product.right_as == CblasNoTrans ? columns : inner;
  if constexpr (std::is_same_v<Value, double>) {
    cblas_dgemm(CblasRowMajor, product.left_as, product.right_as, rows, columns, inner, 1.0, left, left_stride, right,
                right_stride, product.beta, result, columns);
  } else {
    cblas_sgemm(CblasRowMajor, product.left_as, product.right_as, rows, columns, inner, 1.0f, left, left_stride, right,
                right_stride, product.beta, result, columns);
  }
}

template <class Value>
void set_rows(std::size_t rows, std::span<const float> row, Value* matrix) {
  for (std::size_t i = 0; i < rows; ++i) std::copy(row.begin(), row.end(), matrix + i * row.size());
}

template <class Value>
void add_columns(std::size_t rows, std::size_t columns, const Value* matrix, Value* sums) {
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) sums[j] += matrix[i * columns + j];
  }
}

// Of a layer on the way up: the product and its bias.
OperatorCost linear_cost(const MlpShape& mlp) {
  return addmm_cost({.rows = mlp.batch, .inner = mlp.dim, .columns = mlp.dim}, mlp.dim);
}

}  // namespace

MlpTraining::MlpTraining(MlpTrainingShape shape)
    : shape_(shape),
      sums_(shape.mlp.layers * shape.values()),
      activations_((shape.mlp.layers - 1) * shape.values()),
      upstream_(shape.values()),
      downstream_(shape.values()),
      answer_(2 * shape.values() + shape.weights() + shape.biases()) {
  assert(shape.steps >= 1 && shape.mlp.layers >= 1);
}

void MlpTraining::run(const MlpParameters& parameters) {
  for (std::size_t step = 0; step < shape_.steps; ++step) {
    STEELYARD_SPAN("mlp_training/step");
    forward(parameters);
    backward(parameters, step == 0);
  }
}

std::span<const float> MlpTraining::layer_inputs(const MlpParameters& parameters, std::size_t layer) const {
  if (layer == 0) return parameters.inputs;
  return std::span(activations_).subspan((layer - 1) * shape_.values(), shape_.values());
}

void MlpTraining::forward(const MlpParameters& parameters) {
  STEELYARD_SPAN("mlp_training/forward");
  const MlpShape& mlp = shape_.mlp;
  const auto batch = static_cast<std::int64_t>(mlp.batch), dim = static_cast<std::int64_t>(mlp.dim);
  for (std::size_t layer = 0; layer < mlp.layers; ++layer) {
    const auto sums = std::span(sums_).subspan(layer * shape_.values(), shape_.values());
    {
      STEELYARD_SPAN("mlp_training/linear", .shapes = {{batch, dim}, {dim, dim}, {dim}},
                     .flops = span_flops(linear_cost(mlp)), .bytes = span_bytes(linear_cost(mlp)));
      set_rows(mlp.batch, parameters.biases.subspan(layer * mlp.dim, mlp.dim), sums.data());
      multiply<float>({.shape = mlp.layer(), .beta = 1}, layer_inputs(parameters, layer).data(),
                      &parameters.weights[layer * mlp.dim * mlp.dim], sums.data());
    }
    STEELYARD_SPAN("mlp_training/gelu", .shapes = {{batch, dim}}, .flops = span_flops(gelu_fused_cost(sums.size())),
                   .bytes = span_bytes(gelu_fused_cost(sums.size())));
    const bool is_last = layer + 1 == mlp.layers;
    gelu_vectorized(sums, is_last ? answer().first(shape_.values())
                                  : std::span(activations_).subspan(layer * shape_.values(), shape_.values()));
  }
}

void MlpTraining::backward(const MlpParameters& parameters, bool first_step) {
  STEELYARD_SPAN("mlp_training/backward");
  const MlpShape& mlp = shape_.mlp;
  const auto batch = static_cast<std::int64_t>(mlp.batch), dim = static_cast<std::int64_t>(mlp.dim);
  const float beta = first_step ? 0.0f : 1.0f;  // BLAS does not read what it multiplies by 0
  float* input_gradient = answer_.data() + shape_.values();
  float* weight_gradients = input_gradient + shape_.values();
  float* bias_gradients = weight_gradients + shape_.weights();
  if (first_step) std::fill(bias_gradients, bias_gradients + shape_.biases(), 0.0f);
  std::fill(upstream_.begin(), upstream_.end(), 1.0f);
  for (std::size_t layer = mlp.layers; layer-- > 0;) {
    {
      STEELYARD_SPAN("mlp_training/gelu_gradient", .shapes = {{batch, dim}, {batch, dim}},
                     .flops = span_flops(gelu_gradient_cost(shape_.values())),
                     .bytes = span_bytes(gelu_gradient_cost(shape_.values())));
      gelu_gradient_vectorized(std::span(sums_).subspan(layer * shape_.values(), shape_.values()), upstream_,
                               upstream_);
    }
    {
      const ProductExtent extent{.rows = mlp.dim, .inner = mlp.batch, .columns = mlp.dim};
      STEELYARD_SPAN("mlp_training/weight_gradient", .shapes = {{dim, batch}, {batch, dim}},
                     .flops = span_flops(mm_cost(extent)), .bytes = span_bytes(mm_cost(extent)));
      multiply<float>(
          {.left_as = CblasTrans, .shape = {.rows = mlp.dim, .inner = mlp.batch, .columns = mlp.dim}, .beta = beta},
          layer_inputs(parameters, layer).data(), upstream_.data(), weight_gradients + layer * mlp.dim * mlp.dim);
    }
    {
      STEELYARD_SPAN("mlp_training/bias_gradient", .shapes = {{batch, dim}});
      add_columns(mlp.batch, mlp.dim, upstream_.data(), bias_gradients + layer * mlp.dim);
    }
    STEELYARD_SPAN("mlp_training/input_gradient", .shapes = {{batch, dim}, {dim, dim}},
                   .flops = span_flops(matmul_cost(mlp.layer())), .bytes = span_bytes(matmul_cost(mlp.layer())));
    multiply<float>({.right_as = CblasTrans, .shape = mlp.layer(), .beta = layer == 0 ? beta : 0.0f}, upstream_.data(),
                    &parameters.weights[layer * mlp.dim * mlp.dim], layer == 0 ? input_gradient : downstream_.data());
    std::swap(upstream_, downstream_);
  }
}

std::vector<double> mlp_training_reference(MlpTrainingShape shape, const MlpParameters& parameters) {
  const MlpShape& mlp = shape.mlp;
  const std::size_t layer_size = mlp.dim * mlp.dim;
  const std::vector<double> weights(parameters.weights.begin(), parameters.weights.end());
  std::vector<std::vector<double>> inputs{{parameters.inputs.begin(), parameters.inputs.end()}};
  std::vector<std::vector<double>> sums;
  for (std::size_t layer = 0; layer < mlp.layers; ++layer) {
    sums.emplace_back(shape.values());
    set_rows(mlp.batch, parameters.biases.subspan(layer * mlp.dim, mlp.dim), sums[layer].data());
    multiply<double>({.shape = mlp.layer(), .beta = 1}, inputs[layer].data(), &weights[layer * layer_size],
                     sums[layer].data());
    inputs.emplace_back(shape.values());
    std::transform(sums[layer].begin(), sums[layer].end(), inputs.back().begin(), gelu_in_double);
  }
  std::vector<double> answer = inputs.back();
  answer.resize(2 * shape.values() + shape.weights() + shape.biases());
  double* weight_gradients = answer.data() + 2 * shape.values();
  double* bias_gradients = weight_gradients + shape.weights();
  std::vector<double> upstream(shape.values(), 1.0);
  for (std::size_t layer = mlp.layers; layer-- > 0;) {
    for (std::size_t i = 0; i < upstream.size(); ++i) upstream[i] *= gelu_gradient_in_double(sums[layer][i]);
    multiply<double>({.left_as = CblasTrans, .shape = {.rows = mlp.dim, .inner = mlp.batch, .columns = mlp.dim}},
                     inputs[layer].data(), upstream.data(), weight_gradients + layer * layer_size);
    add_columns(mlp.batch, mlp.dim, upstream.data(), bias_gradients + layer * mlp.dim);
    std::vector<double> downstream(shape.values());
    multiply<double>({.right_as = CblasTrans, .shape = mlp.layer()}, upstream.data(), &weights[layer * layer_size],
                     downstream.data());
    upstream = std::move(downstream);
  }
  std::copy(upstream.begin(), upstream.end(), answer.begin() + static_cast<std::ptrdiff_t>(shape.values()));
  // Every step adds the same gradients: the weights stay as they are.
  std::for_each(answer.begin() + static_cast<std::ptrdiff_t>(shape.values()), answer.end(),
                [&](double& gradient) { gradient *= static_cast<double>(shape.steps); });
  return answer;
}

}  // namespace steelyard::cpu_suite
