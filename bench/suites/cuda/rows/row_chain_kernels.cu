#include "bench/suites/cuda/rows/row_kernel.cuh"

namespace steelyard::cuda_suite {
namespace {

template <RowMap kMap, class T, RowFit kFit>
__global__ void __launch_bounds__(kMaxThreads)
    row_map_kernel(RowsShape shape, const T* __restrict__ values, const float* __restrict__ others,
                   T* __restrict__ results) {
  const RowPlace place{static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x), static_cast<int>(shape.columns),
                       blockIdx.x};
  RowPart<T, kFit> part;
  part.load(values + place.row * shape.columns, place);
  map_part<kMap, T, kFit>(part, place, others, results + place.row * shape.columns);
}

template <RowMap kMap, class T>
void launch_map(const RowsShape& shape, const T* values, const float* others, T* results, cudaStream_t stream) {
  check_shape<T>(shape);
  if (shape.rows == 0) return;
  const auto threads = static_cast<unsigned>(threads_of_row<T>(shape.columns));
  const bool is_ragged = row_fit<T>(shape.columns) == RowFit::ragged;
  const auto kernel = is_ragged ? &row_map_kernel<kMap, T, RowFit::ragged> : &row_map_kernel<kMap, T, RowFit::whole>;
  kernel<<<static_cast<unsigned>(shape.rows), threads, 0, stream>>>(shape, values, others, results);
  cuda::check(cudaGetLastError(), "launching a map of rows");
}

template <RowStatistic kStatistic, class T>
void launch_statistic(const RowsShape& shape, const T* values, float* statistics, cudaStream_t stream) {
  launch_rows(RowReduction<kStatistic>{statistics}, shape, values, static_cast<T*>(nullptr), stream);
}

}  // namespace

template <class T>
void launch_row_statistic(RowStatistic statistic, const RowsShape& shape, const T* values, float* statistics,
                          cudaStream_t stream) {
  switch (statistic) {
    case RowStatistic::largest:
      return launch_statistic<RowStatistic::largest>(shape, values, statistics, stream);
    case RowStatistic::sum:
      return launch_statistic<RowStatistic::sum>(shape, values, statistics, stream);
    case RowStatistic::mean:
      return launch_statistic<RowStatistic::mean>(shape, values, statistics, stream);
    case RowStatistic::sum_of_squares:
      return launch_statistic<RowStatistic::sum_of_squares>(shape, values, statistics, stream);
    case RowStatistic::inverse_root_of_mean_square:
      return launch_statistic<RowStatistic::inverse_root_of_mean_square>(shape, values, statistics, stream);
  }
}

template <class T>
void launch_row_map(RowMap map, const RowsShape& shape, const T* values, const float* others, T* results,
                    cudaStream_t stream) {
  switch (map) {
    case RowMap::subtract_statistic:
      return launch_map<RowMap::subtract_statistic>(shape, values, others, results, stream);
    case RowMap::exp:
      return launch_map<RowMap::exp>(shape, values, others, results, stream);
    case RowMap::over_statistic:
      return launch_map<RowMap::over_statistic>(shape, values, others, results, stream);
    case RowMap::times_statistic:
      return launch_map<RowMap::times_statistic>(shape, values, others, results, stream);
    case RowMap::times_parameter:
      return launch_map<RowMap::times_parameter>(shape, values, others, results, stream);
    case RowMap::plus_parameter:
      return launch_map<RowMap::plus_parameter>(shape, values, others, results, stream);
  }
}

#define STEELYARD_ROW_LINKS(T)                                                                           \
  template void launch_row_statistic<T>(RowStatistic, const RowsShape&, const T*, float*, cudaStream_t); \
  template void launch_row_map<T>(RowMap, const RowsShape&, const T*, const float*, T*, cudaStream_t);
STEELYARD_ROW_LINKS(float)
STEELYARD_ROW_LINKS(F16)
STEELYARD_ROW_LINKS(Bf16)

}  // namespace steelyard::cuda_suite
