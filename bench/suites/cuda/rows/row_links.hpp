// The links of which a chain makes softmax and the normalizations: a statistic of each row, in single precision, and
// maps of each value with its row's statistic or its column's parameter, rounded to the values' type.
#pragma once

#include "bench/suites/cuda/rows/row_operations.hpp"

namespace steelyard::cuda_suite {

enum class RowStatistic { largest, sum, mean, sum_of_squares, inverse_root_of_mean_square };

// An operation on rows (row_operations.hpp) whose result is one number a row.
template <RowStatistic kStatistic>
struct RowReduction {
  float* statistics = nullptr;  // one a row

  static constexpr bool kFirstIsLargest = kStatistic == RowStatistic::largest;
  static constexpr bool kHasSecond = false;
  static constexpr bool kSquares =
      kStatistic == RowStatistic::sum_of_squares || kStatistic == RowStatistic::inverse_root_of_mean_square;
  template <class T>
  using Kept = KeptPacks<T>;

  template <class T, RowFit kFit>
  STEELYARD_HOST_DEVICE Kept<T> keep(const RowPart<T, kFit>& part) const {
    return kept_packs(part);
  }

  template <class T, RowFit kFit>
  STEELYARD_HOST_DEVICE float first(Kept<T>& kept, const RowPlace& place) const {
    if constexpr (kFirstIsLargest) {
      return largest_of_part<T, kFit>(kept.packs, place);
    } else {
      return sum_over_part<T, kFit, true>(kept.packs, place, [](float x) { return kSquares ? x * x : x; });
    }
  }
  template <class T, RowFit kFit>
  STEELYARD_HOST_DEVICE float second(Kept<T>&, const RowPlace&, float) const {
    return 0.0f;
  }

  template <class T, RowFit kFit>
  STEELYARD_HOST_DEVICE void finish(Kept<T>&, const RowPlace& place, const RowTotals& totals, T*) const {
    if (place.thread != 0) return;
    const auto n = static_cast<float>(place.columns);
    float statistic = totals.first;
    if (kStatistic == RowStatistic::mean) statistic = totals.first / n;
    if (kStatistic == RowStatistic::inverse_root_of_mean_square) {
      statistic = reciprocal_root(totals.first / n + kNormEpsilon);
    }
    statistics[place.row] = statistic;
  }
};

enum class RowMap { subtract_statistic, exp, over_statistic, times_statistic, times_parameter, plus_parameter };

STEELYARD_HOST_DEVICE constexpr bool takes_parameter(RowMap map) {
  return map == RowMap::times_parameter || map == RowMap::plus_parameter;
}

template <RowMap kMap>
STEELYARD_HOST_DEVICE inline float mapped(float value, float other) {
  switch (kMap) {
    case RowMap::subtract_statistic:
      return value - other;
    case RowMap::exp:
      return exp_accurate(value);
    case RowMap::over_statistic:
      return value / other;
    case RowMap::times_statistic:
    case RowMap::times_parameter:
      return value * other;
    case RowMap::plus_parameter:
      return value + other;
  }
  return value;
}

// What one thread does with its part of a row. others: a statistic for each row, or a parameter for each column.
template <RowMap kMap, class T, RowFit kFit>
STEELYARD_HOST_DEVICE void map_part(const RowPart<T, kFit>& part, const RowPlace& place, const float* others,
                                    T* results) {
  const float of_row = takes_parameter(kMap) || kMap == RowMap::exp ? 0.0f : others[place.row];
  STEELYARD_UNROLL
  for (int k = 0; k < kRowPacks; ++k) {
    if (lanes_inside<T, kFit>(place, k) == 0) continue;
    float values[kLanes<T>];
    float of_columns[kLanes<T>];
    unpack<T>(part.packs[k], values);
    if constexpr (takes_parameter(kMap)) load_parameters<T, kFit>(others, place, k, of_columns);
    STEELYARD_UNROLL
    for (int i = 0; i < kLanes<T>; ++i) {
      values[i] = mapped<kMap>(values[i], takes_parameter(kMap) ? of_columns[i] : of_row);
    }
    store_part<T, kFit>(results, place, k, values);
  }
}

}  // namespace steelyard::cuda_suite
