// All benchmarks of the program, room by room.
#pragma once

#include "bench/cuda/device_suite.hpp"

namespace steelyard::cuda_suite {

cuda::DeviceSuite make_suite();

// The benchmarks of kernels of our own, room by room.

void add_elementwise(cuda::DeviceSuite& suite);  // add, gelu
void add_row_kernels(cuda::DeviceSuite& suite);  // softmax, layer_norm, rms_norm
void add_gemv(cuda::DeviceSuite& suite);         // gemv, gather_gemv
void add_cdist(cuda::DeviceSuite& suite);
void add_mlp_layer_norm(cuda::DeviceSuite& suite);  // one row
void add_decoding(cuda::DeviceSuite& suite);        // language models, token by token

// What this device can do, measured by the same program as the kernels that are held against it: memory passes, and
// large products in each dtype.

void add_ceilings(cuda::DeviceSuite& suite);

// The suite's products: square matrices in every dtype, dot products in batches.

void add_products(cuda::DeviceSuite& suite);

// The suite's perceptrons: forward and training steps with the sweeps, fused and not; and the block with layer
// normalization on a batch above the ridge point.

void add_mlp(cuda::DeviceSuite& suite);
void add_mlp_layer_norm_above_ridge(cuda::DeviceSuite& suite);

}  // namespace steelyard::cuda_suite
