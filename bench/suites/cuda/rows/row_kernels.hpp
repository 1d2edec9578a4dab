// The kernels on rows. Each call enqueues and returns; T: float, F16 or Bf16; values and results: rows x columns on the
// device, from addresses that are multiples of 16, and none of the same memory.
// Precondition: columns is 1 to kMostColumns<T>. Throws cuda::CudaError.
#pragma once

#include "bench/cuda/workload.hpp"
#include "bench/suites/cuda/rows/row_operations.hpp"

namespace steelyard::cuda_suite {

template <class T>
void launch_softmax(const RowsShape& shape, const T* values, T* results, cudaStream_t stream);

struct NormParameters {
  const float* weights = nullptr;  // columns values
  const float* biases = nullptr;   // of layer normalization alone
};
template <class T>
void launch_layer_norm(const RowsShape& shape, const T* values, const NormParameters& parameters, T* results,
                       cudaStream_t stream);
template <class T>
void launch_rms_norm(const RowsShape& shape, const T* values, const NormParameters& parameters, T* results,
                     cudaStream_t stream);

// Links of chains. statistics: one a row. others: one a row or one a column, by the map.
template <class T>
void launch_row_statistic(RowStatistic statistic, const RowsShape& shape, const T* values, float* statistics,
                          cudaStream_t stream);
template <class T>
void launch_row_map(RowMap map, const RowsShape& shape, const T* values, const float* others, T* results,
                    cudaStream_t stream);

}  // namespace steelyard::cuda_suite
