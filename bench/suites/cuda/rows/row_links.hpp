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

  struct Partial {
    float value;
  };
  template <class T>
  struct Kept {};

  static constexpr bool kIsLargest = kStatistic == RowStatistic::largest;
  static constexpr bool kSquares =
      kStatistic == RowStatistic::sum_of_squares || kStatistic == RowStatistic::inverse_root_of_mean_square;

  STEELYARD_HOST_DEVICE static Partial neutral() { return {kIsLargest ? -kInfinity : 0.0f}; }
  STEELYARD_HOST_DEVICE static Partial joined(const Partial& a, const Partial& b) {
    // A NaN counts as the largest: the row's results are none.
    if (kIsLargest)
      return {a.value != a.value ? a.value : (b.value > a.value || b.value != b.value ? b.value : a.value)};
    return {a.value + b.value};
  }

  template <class T, bool kWhole>
  STEELYARD_HOST_DEVICE Partial absorb(const RowPart<T, kWhole>& part, const RowPlace& place, Kept<T>&) const {
    Partial own = neutral();
    STEELYARD_UNROLL
    for (int k = 0; k < kRowPacks; ++k) {
      const int inside = lanes_inside<T, kWhole>(place, k);
      float values[kLanes<T>];
      unpack<T>(part.packs[k], values);
      STEELYARD_UNROLL
      for (int i = 0; i < kLanes<T>; ++i) {
        if (i >= inside) continue;
        own = joined(own, {kSquares ? values[i] * values[i] : values[i]});
      }
    }
    return own;
  }

  template <class T, bool kWhole>
  STEELYARD_HOST_DEVICE void finish(Kept<T>&, const Partial&, const Partial& whole, const RowPlace& place, T*) const {
    if (place.thread != 0) return;
    const auto n = static_cast<float>(place.columns);
    float statistic = whole.value;
    if (kStatistic == RowStatistic::mean) statistic = whole.value / n;
    if (kStatistic == RowStatistic::inverse_root_of_mean_square) {
      statistic = reciprocal_root(whole.value / n + kNormEpsilon);
    }
    statistics[place.row] = statistic;
  }
};

enum class RowMap { subtract_statistic, exp, over_statistic, times_statistic, times_parameter, plus_parameter };

constexpr bool takes_parameter(RowMap map) { return map == RowMap::times_parameter || map == RowMap::plus_parameter; }

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
template <RowMap kMap, class T, bool kWhole>
STEELYARD_HOST_DEVICE void map_part(const RowPart<T, kWhole>& part, const RowPlace& place, const float* others,
                                    T* results) {
  const float of_row = takes_parameter(kMap) || kMap == RowMap::exp ? 0.0f : others[place.row];
  STEELYARD_UNROLL
  for (int k = 0; k < kRowPacks; ++k) {
    const int inside = lanes_inside<T, kWhole>(place, k);
    if (inside == 0) continue;
    float values[kLanes<T>];
    float of_columns[kLanes<T>];
    unpack<T>(part.packs[k], values);
    if (takes_parameter(kMap)) {
      load_parameters<T, kWhole>(others, (place.thread + k * place.threads) * kLanes<T>, inside, of_columns);
    }
    STEELYARD_UNROLL
    for (int i = 0; i < kLanes<T>; ++i) {
      values[i] = mapped<kMap>(values[i], takes_parameter(kMap) ? of_columns[i] : of_row);
    }
    store_part<T, kWhole>(results, place, k, values);
  }
}

}  // namespace steelyard::cuda_suite
