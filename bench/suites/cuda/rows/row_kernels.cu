#include "bench/suites/cuda/rows/row_kernels.hpp"

#include "bench/suites/cuda/rows/row_kernel.cuh"

namespace steelyard::cuda_suite {

template <class T>
void launch_softmax(const RowsShape& shape, const T* values, T* results, cudaStream_t stream) {
  launch_rows(Softmax{}, shape, values, results, stream);
}

template <class T>
void launch_layer_norm(const RowsShape& shape, const T* values, const NormParameters& parameters, T* results,
                       cudaStream_t stream, FirstCache cache) {
  launch_rows(LayerNorm{parameters.weights, parameters.biases}, shape, values, results, stream, cache);
}

void launch_layer_norm_pairs(const RowsShape& shape, const Bf16* values, const NormParameters& parameters,
                             Bf16* results, cudaStream_t stream) {
  assert(shape.columns % kLanes<Bf16> == 0 && shape.columns <= kMaxPairColumns);
  if (shape.rows == 0) return;
  const int threads = threads_of_row<Bf16>(shape.columns);
  const bool is_full = row_fit<Bf16>(shape.columns) == RowFit::full;
  const auto kernel = is_full ? &layer_norm_pairs_kernel<RowFit::full> : &layer_norm_pairs_kernel<RowFit::whole>;
  const std::size_t ahead = 2 * RowAhead<Bf16, RowFit::full>::bytes(threads);
  const auto* address = reinterpret_cast<const void*>(kernel);
  if (ahead > kFreeSharedMemory) allow_shared_memory(address, ahead);
  const std::size_t room = resident_blocks(address, threads, ahead);
  prefer_shared_memory(address, room * ahead);
  const auto blocks = static_cast<unsigned>(std::min((shape.rows + 1) / 2, room));
  kernel<<<blocks, static_cast<unsigned>(threads), ahead, stream>>>(LayerNorm{parameters.weights, parameters.biases},
                                                                    shape, values, results);
  cuda::check(cudaGetLastError(), "launching layer normalization of two rows at a time");
}

template <class T>
void launch_rms_norm(const RowsShape& shape, const T* values, const NormParameters& parameters, T* results,
                     cudaStream_t stream) {
  launch_rows(RmsNorm{parameters.weights}, shape, values, results, stream);
}

#define STEELYARD_ROW_KERNELS(T)                                                                                       \
  template void launch_softmax<T>(const RowsShape&, const T*, T*, cudaStream_t);                                       \
  template void launch_layer_norm<T>(const RowsShape&, const T*, const NormParameters&, T*, cudaStream_t, FirstCache); \
  template void launch_rms_norm<T>(const RowsShape&, const T*, const NormParameters&, T*, cudaStream_t);
STEELYARD_ROW_KERNELS(float)
STEELYARD_ROW_KERNELS(F16)
STEELYARD_ROW_KERNELS(Bf16)

}  // namespace steelyard::cuda_suite
