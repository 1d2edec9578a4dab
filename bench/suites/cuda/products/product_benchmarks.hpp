// The suite's products: square matrices in every dtype, dot products in batches.
#pragma once

#include "bench/cuda/device_suite.hpp"

namespace steelyard::cuda_suite {

void add_products(cuda::DeviceSuite& suite);

}  // namespace steelyard::cuda_suite
