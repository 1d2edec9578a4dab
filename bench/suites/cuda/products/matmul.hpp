// A square matrix product as a workload of the device program: result = left * transposed(right), both row by row, as a
// framework's linear layer has it and as 8-bit floats need it. Input sets are taken in turn.
#pragma once

#include <memory>

#include "bench/cuda/workload.hpp"
#include "bench/suites/cuda/products/product_type.hpp"

namespace steelyard::cuda_suite {

enum class LtChoice { first, fastest };  // LtMatmul::choose_fastest

std::unique_ptr<cuda::Workload> make_matmul(const ProductType& type, std::size_t n, LtChoice choice);

}  // namespace steelyard::cuda_suite
