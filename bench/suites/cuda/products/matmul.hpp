// A square matrix product as a workload of the device program: result = left * transposed(right), both row by row, as a
// framework's linear layer has it and as 8-bit floats need it. Input sets are taken in turn.
#pragma once

#include <memory>

#include "bench/cuda/workload.hpp"
#include "bench/suites/cuda/products/product_type.hpp"

namespace steelyard::cuda_suite {

enum class LtChoice { first, fastest };  // LtMatmul::choose_fastest

std::unique_ptr<cuda::Workload> make_matmul(const ProductType& type, std::size_t n, LtChoice choice);

// The dot products of many pairs of short vectors, in the two ways that people write it: multiply everything and then
// sum, or one product of 1 x n and n x 1 matrices a pair; and the first in one kernel.

struct BatchedDotShape {
  std::size_t batch = 0;   // pairs
  std::size_t length = 0;  // of each vector
};

// Two operators: the products are written and read back. The same arithmetic is declared for all ways, so that their
// rates compare.
constexpr OperatorCost batched_dot_chain_cost(BatchedDotShape shape, std::size_t value_bytes) {
  const std::size_t values = shape.batch * shape.length;
  return OperatorCost{operations(values), bytes_of(2 * values, value_bytes), bytes_of(values, value_bytes)} +
         OperatorCost{operations(values), bytes_of(values, value_bytes), bytes_of(shape.batch, value_bytes)};
}
constexpr OperatorCost batched_dot_library_cost(BatchedDotShape shape, std::size_t value_bytes) {
  const std::size_t values = shape.batch * shape.length;
  return {operations(2 * values), bytes_of(2 * values, value_bytes), bytes_of(shape.batch, value_bytes)};
}

// In f32, f16 or bf16.
std::unique_ptr<cuda::Workload> make_batched_dot_chain(const ProductType& type, BatchedDotShape shape);
std::unique_ptr<cuda::Workload> make_batched_dot_fused(const ProductType& type, BatchedDotShape shape);
std::unique_ptr<cuda::Workload> make_batched_dot_library(const ProductType& type, BatchedDotShape shape);

}  // namespace steelyard::cuda_suite
