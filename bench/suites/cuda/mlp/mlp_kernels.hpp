// The kernels of an unfused perceptron. Each enqueues and returns; f32, f16 or bf16; matrices row by row, whose columns
// are a multiple of 8. Throws CudaError.
#pragma once

#include <cstddef>

#include "bench/suites/cuda/products/product_type.hpp"

struct CUstream_st;

namespace steelyard::cuda_suite {

struct MatrixExtent {
  NumberFormat format = NumberFormat::f32;
  std::size_t rows = 0;
  std::size_t columns = 0;
};

// values += bias, row by row.
void launch_bias(const MatrixExtent& extent, void* values, const void* bias, CUstream_st* stream);
void launch_gelu_pass(const MatrixExtent& extent, const void* values, void* results, CUstream_st* stream);
// results = upstream * gelu'(sums); upstream null: gelu'(sums).
void launch_gelu_gradient(const MatrixExtent& extent, const void* sums, const void* upstream, void* results,
                          CUstream_st* stream);
// results[column] = the sum of its values. One kernel, or two where the rows are cut into slices (gelu_pass.hpp).
struct ColumnSums {
  void* results = nullptr;
  bool accumulates = false;  // added to what is there
  std::size_t slices = 1;    // column_slices()
  float* parts = nullptr;    // slices x columns; of one slice: none
};
void launch_column_sums(const MatrixExtent& extent, const void* values, const ColumnSums& sums, CUstream_st* stream);
// target += added, both extent.rows x extent.columns.
void launch_accumulate(const MatrixExtent& extent, void* target, const void* added, CUstream_st* stream);

}  // namespace steelyard::cuda_suite
