// The two links of the chain: all products, then the sum of each row of them.
#pragma once

#include <cstddef>

#include "bench/suites/cuda/products/number_format.hpp"

struct CUstream_st;

namespace steelyard::cuda_suite {

// products[i] = left[i] * right[i], rounded. f32, f16, bf16. Enqueues; throws CudaError.
void launch_multiply(NumberFormat format, const void* left, const void* right, void* products, std::size_t count,
                     CUstream_st* stream);
// sums[row] = the sum of its `length` numbers, in single precision, rounded once.
void launch_row_sums(NumberFormat format, const void* numbers, void* sums, std::size_t rows, std::size_t length,
                     CUstream_st* stream);

}  // namespace steelyard::cuda_suite
