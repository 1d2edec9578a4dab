// The benchmarks of kernels of our own, room by room.
#pragma once

#include "bench/cuda/device_suite.hpp"

namespace steelyard::cuda_suite {

void add_elementwise(cuda::DeviceSuite& suite);  // add, gelu
void add_row_kernels(cuda::DeviceSuite& suite);  // softmax, layer_norm, rms_norm
void add_gemv(cuda::DeviceSuite& suite);         // gemv, gather_gemv
void add_cdist(cuda::DeviceSuite& suite);
void add_mlp_layer_norm(cuda::DeviceSuite& suite);  // one row

}  // namespace steelyard::cuda_suite
