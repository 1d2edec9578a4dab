#include "bench/suites/cuda/rows/row_kernels.hpp"

#include "bench/suites/cuda/rows/row_kernel.cuh"

namespace steelyard::cuda_suite {

template <class T>
void launch_softmax(const RowsShape& shape, const T* values, T* results, cudaStream_t stream) {
  launch_rows(Softmax{}, shape, values, results, stream);
}

template <class T>
void launch_layer_norm(const RowsShape& shape, const T* values, const NormParameters& parameters, T* results,
                       cudaStream_t stream) {
  launch_rows(LayerNorm{parameters.weights, parameters.biases}, shape, values, results, stream);
}

template <class T>
void launch_rms_norm(const RowsShape& shape, const T* values, const NormParameters& parameters, T* results,
                     cudaStream_t stream) {
  launch_rows(RmsNorm{parameters.weights}, shape, values, results, stream);
}

#define STEELYARD_ROW_KERNELS(T)                                                                           \
  template void launch_softmax<T>(const RowsShape&, const T*, T*, cudaStream_t);                           \
  template void launch_layer_norm<T>(const RowsShape&, const T*, const NormParameters&, T*, cudaStream_t); \
  template void launch_rms_norm<T>(const RowsShape&, const T*, const NormParameters&, T*, cudaStream_t);
STEELYARD_ROW_KERNELS(float)
STEELYARD_ROW_KERNELS(F16)
STEELYARD_ROW_KERNELS(Bf16)

}  // namespace steelyard::cuda_suite
