#include "bench/suites/cuda/mlp/mlp_shape.hpp"

namespace steelyard::cuda_suite {

std::vector<std::int64_t> MlpSweeps::values(std::size_t base_value) const {
  std::vector<std::int64_t> values;
  for (std::size_t times = 1; times <= kMostTimes; ++times) {
    values.push_back(static_cast<std::int64_t>(times * base_value));
  }
  return values;
}

bool MlpSweeps::contains(const MlpShape& shape) const {
  for (std::size_t times = 1; times <= kMostTimes; ++times) {
    MlpShape batch = base;
    batch.batch *= times;
    MlpShape dim = base;
    dim.dim *= times;
    MlpShape layers = base;
    layers.layers *= times;
    MlpShape steps = base;
    steps.steps *= times;
    if (shape == batch || shape == dim || shape == layers || shape == steps) return true;
  }
  return false;
}

}  // namespace steelyard::cuda_suite
