// Kernels around products: operands from a seed, the links of the chained dot product, and both in one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bench/suites/cuda/products/product_type.hpp"

struct CUstream_st;

namespace steelyard::cuda_suite {

// Operands on the device, from a seed: number i is a function of the seed and i (seeded_inputs.hpp). f32, f16, bf16,
// e4m3: even over [-limit, limit), rounded; s8: -127 to 127, whatever the limit. Enqueues; throws
// CudaError. There is no s32.
void fill_seeded(NumberFormat format, void* numbers, std::size_t count, std::uint64_t seed, CUstream_st* stream,
                 float limit = 1.0f);

// The two links of the chain: all products, then the sum of each row of them.

// products[i] = left[i] * right[i], rounded. f32, f16, bf16. Enqueues; throws CudaError.
void launch_multiply(NumberFormat format, const void* left, const void* right, void* products, std::size_t count,
                     CUstream_st* stream);
// sums[row] = the sum of its `length` numbers, in single precision, rounded once.
void launch_row_sums(NumberFormat format, const void* numbers, void* sums, std::size_t rows, std::size_t length,
                     CUstream_st* stream);

// Rows of both lie one after the other.
struct RowPairs {
  const void* left = nullptr;
  const void* right = nullptr;
  std::size_t rows = 0;
  std::size_t length = 0;
};
// Both links in one: sums[row] = the sum of left[row] * right[row], in single precision, rounded once.
void launch_row_dots(NumberFormat format, const RowPairs& pairs, void* sums, CUstream_st* stream);

}  // namespace steelyard::cuda_suite
