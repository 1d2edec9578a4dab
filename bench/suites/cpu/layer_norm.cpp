#include "bench/suites/cpu/layer_norm.hpp"

#include <algorithm>
#include <cmath>

namespace steelyard::cpu_suite {

void layer_norm(RowsShape shape, std::span<const float> values, std::span<const float> weights,
                std::span<const float> biases, std::span<float> results) {
  const auto n = static_cast<float>(shape.columns);
  for (std::size_t row = 0; row < shape.rows; ++row) {
    const auto in = values.subspan(row * shape.columns, shape.columns);
    const auto out = results.subspan(row * shape.columns, shape.columns);
    float sum = 0;
    for (const float value : in) sum += value;
    const float mean = sum / n;
    // The deviations are squared, never the values: a mean square less a squared mean cancels to nothing.
    float squares = 0;
    for (std::size_t i = 0; i < in.size(); ++i) {
      out[i] = in[i] - mean;
      squares += out[i] * out[i];
    }
    const float scale = 1.0f / std::sqrt(squares / n + kLayerNormEpsilon);
    for (std::size_t i = 0; i < in.size(); ++i) out[i] = out[i] * scale * weights[i] + biases[i];
  }
}

std::vector<double> layer_norm_row_in_double(std::vector<double> row, std::span<const float> weights,
                                             std::span<const float> biases) {
  const auto n = static_cast<double>(row.size());
  double mean = 0;
  for (const double value : row) mean += value / n;
  double variance = 0;
  for (const double value : row) variance += (value - mean) * (value - mean) / n;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const double normal = (row[i] - mean) / std::sqrt(variance + static_cast<double>(kLayerNormEpsilon));
    row[i] = normal * static_cast<double>(weights[i]) + static_cast<double>(biases[i]);
  }
  return row;
}

std::vector<double> layer_norm_reference(RowsShape shape, std::span<const float> values, std::span<const float> weights,
                                         std::span<const float> biases) {
  std::vector<double> results;
  for (std::size_t row = 0; row < shape.rows; ++row) {
    const auto in = values.subspan(row * shape.columns, shape.columns);
    const std::vector<double> out = layer_norm_row_in_double({in.begin(), in.end()}, weights, biases);
    results.insert(results.end(), out.begin(), out.end());
  }
  return results;
}

void softmax(RowsShape shape, std::span<const float> values, std::span<float> results) {
  for (std::size_t row = 0; row < shape.rows; ++row) {
    const auto in = values.subspan(row * shape.columns, shape.columns);
    const auto out = results.subspan(row * shape.columns, shape.columns);
    float largest = in[0];
    for (const float value : in) largest = std::max(largest, value);
    float sum = 0;
    for (std::size_t i = 0; i < in.size(); ++i) {
      out[i] = std::exp(in[i] - largest);
      sum += out[i];
    }
    const float scale = 1.0f / sum;
    for (float& value : out) value *= scale;
  }
}

std::vector<double> softmax_reference(RowsShape shape, std::span<const float> values) {
  std::vector<double> results(values.begin(), values.end());
  for (std::size_t row = 0; row < shape.rows; ++row) {
    double sum = 0;
    for (std::size_t i = 0; i < shape.columns; ++i) sum += std::exp(results[row * shape.columns + i]);
    for (std::size_t i = 0; i < shape.columns; ++i) {
      double& value = results[row * shape.columns + i];
      value = std::exp(value) / sum;
    }
  }
  return results;
}

}  // namespace steelyard::cpu_suite
