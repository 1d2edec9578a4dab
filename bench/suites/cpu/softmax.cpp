#include "bench/suites/cpu/softmax.hpp"

#include <algorithm>
#include <cmath>

namespace steelyard::cpu_suite {

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
