#include "bench/suites/cpu/mlp.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace steelyard::cpu_suite {

void mlp_forward(MlpShape shape, std::span<const float> inputs, std::span<const float> weights,
                 std::span<float> scratch, std::span<float> results) {
  assert(shape.layers >= 1);
  // The layers write to the two buffers by turns, such that the last one writes to `results`.
  std::span<float> target = shape.layers % 2 == 1 ? results : scratch;
  std::span<float> other = shape.layers % 2 == 1 ? scratch : results;
  std::span<const float> source = inputs;
  const std::size_t layer_size = shape.dim * shape.dim;
  for (std::size_t layer = 0; layer < shape.layers; ++layer) {
    matmul(shape.layer(), source, weights.subspan(layer * layer_size, layer_size), target);
    gelu_fused(target, target);
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

}  // namespace steelyard::cpu_suite
