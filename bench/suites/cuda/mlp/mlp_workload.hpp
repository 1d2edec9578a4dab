// The perceptron's passes as workloads of the device program.
#pragma once

#include <memory>

#include "bench/cuda/workload.hpp"
#include "bench/suites/cuda/mlp/mlp_shape.hpp"
#include "bench/suites/cuda/products/product_type.hpp"

namespace steelyard::cuda_suite {

struct MlpChoice {
  MlpShape shape;
  MlpForm form = MlpForm::fused;
  bool trains = false;  // and the way back
};

// In f32, tf32, f16 or bf16; the fused way back needs a dtype of 16 bits. shape.dim: a multiple of 8.
std::unique_ptr<cuda::Workload> make_mlp(const ProductType& type, const MlpChoice& choice);

}  // namespace steelyard::cuda_suite
