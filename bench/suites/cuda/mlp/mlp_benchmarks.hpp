// The suite's perceptrons: forward and training steps with the sweeps, fused and not; and the block with layer
// normalization on a batch above the ridge point.
#pragma once

#include "bench/cuda/device_suite.hpp"

namespace steelyard::cuda_suite {

void add_mlp(cuda::DeviceSuite& suite);
void add_mlp_layer_norm_above_ridge(cuda::DeviceSuite& suite);

}  // namespace steelyard::cuda_suite
