// What softmax, layer normalization and RMS normalization do with a row, in up to five steps of which two are the
// block's trees over one number a thread: the first joins sums or largest values, the second sums.
//
//     Kept kept = operation.keep(part);
//     float first = <joined over the block: operation.first(kept, place)>;
//     float second = <the same, of operation.second(kept, place, first)>;   // where kHasSecond
//     operation.finish(kept, place, {first, second}, results);
//
// Two plain trees rather than one over pairs that are rescaled or merged: fewer instructions a step, and the deviations
// are from the row's own mean. Parameters that all rows share (weights, biases: single precision) stay in the first
// cache from row to row.
#pragma once

#include <cstddef>
#include <type_traits>

#include "bench/cuda/workload.hpp"
#include "bench/suites/cuda/arithmetic/approximate_math.hpp"
#include "bench/suites/cuda/arithmetic/block_tree.hpp"
#include "bench/suites/cuda/arithmetic/pack.hpp"

namespace steelyard::cuda_suite {

// Rows that a block works on whole: each thread keeps its packs of the row in registers, so that memory is read once,
// whatever the row's operation needs of it. Thread t has the packs t, t + threads, t + 2 threads, ...

struct RowsShape {
  std::size_t rows = 0;
  std::size_t columns = 0;  // at least 1
};

// Packs of one thread: 64 bytes on their way for each thread, and as many of the next row.
inline constexpr int kRowPacks = 4;

// The longest row that a block of 1024 threads keeps: 32768 values of 16 bits, 16384 of 32.
template <class T>
inline constexpr std::size_t kMaxColumns = std::size_t{kMaxThreads} * kRowPacks* kLanes<T>;

// A block for a row; at least a warp.
template <class T>
constexpr int threads_of_row(std::size_t columns) {
  const std::size_t a_thread = std::size_t{kRowPacks} * kLanes<T>;
  const std::size_t wanted = (columns + a_thread - 1) / a_thread;
  return static_cast<int>((wanted + kWarp - 1) / kWarp * kWarp);
}

// How a row's length fits its block's threads. Two shortcuts that spare most of the index arithmetic, and the rest.
enum class RowFit {
  full,    // every thread has all of its packs
  whole,   // the length is a multiple of a pack's lanes: every pack is inside or outside
  ragged,  // any length: rows begin at any address, so that values are moved one by one
};
template <class T>
constexpr RowFit row_fit(std::size_t columns) {
  if (columns % kLanes<T> != 0) return RowFit::ragged;
  const bool is_full = columns == static_cast<std::size_t>(threads_of_row<T>(columns)) * kRowPacks * kLanes<T>;
  return is_full ? RowFit::full : RowFit::whole;
}

// Where a thread stands in the work on one row.
struct RowPlace {
  int thread = 0;
  int threads = 0;
  int columns = 0;
  std::size_t row = 0;
};

template <class T>
STEELYARD_HOST_DEVICE inline int first_column(const RowPlace& place, int k) {
  return (place.thread + k * place.threads) * kLanes<T>;
}

// Lanes of the thread's pack k that lie inside the row.
template <class T, RowFit kFit>
STEELYARD_HOST_DEVICE inline int lanes_inside(const RowPlace& place, int k) {
  if (kFit == RowFit::full) return kLanes<T>;
  const int left = place.columns - first_column<T>(place, k);
  if (kFit == RowFit::whole) return left > 0 ? kLanes<T> : 0;
  return left < 0 ? 0 : (left < kLanes<T> ? left : kLanes<T>);
}

// The thread's packs of one row.
template <class T, RowFit kFit>
struct RowPart {
  Pack packs[kRowPacks];

  STEELYARD_HOST_DEVICE void load(const T* row, const RowPlace& place) {
    STEELYARD_UNROLL
    for (int k = 0; k < kRowPacks; ++k) {
      const int inside = lanes_inside<T, kFit>(place, k);
      const T* address = row + first_column<T>(place, k);
      if constexpr (kFit == RowFit::ragged) {
        packs[k] = load_lanes(address, inside);
      } else {
        packs[k] = inside > 0 ? load_streaming(address) : Pack{};
      }
    }
  }
};

// Writes the results of the thread's pack k.
template <class T, RowFit kFit>
STEELYARD_HOST_DEVICE inline void store_part(T* row, const RowPlace& place, int k, const float (&results)[kLanes<T>]) {
  const int inside = lanes_inside<T, kFit>(place, k);
  T* address = row + first_column<T>(place, k);
  if constexpr (kFit == RowFit::ragged) {
    store_lanes(address, results, inside);
  } else {
    if (inside > 0) store_pack(address, packed<T>(results));
  }
}

inline constexpr float kNormEpsilon = 1e-5f;  // added to the variance or the mean square; PyTorch's layer norm

// What the block knows of its row after its trees.
struct RowTotals {
  float first = 0.0f;
  float second = 0.0f;
};

template <class Operation>
STEELYARD_HOST_DEVICE inline float joined_first(float a, float b) {
  return Operation::kFirstIsLargest ? larger(a, b) : a + b;
}
template <class Operation>
STEELYARD_HOST_DEVICE inline float neutral_first() {
  return Operation::kFirstIsLargest ? -kInfinity : 0.0f;
}

// The parameters of the thread's pack k; those past the row are 0.
template <class T, RowFit kFit>
STEELYARD_HOST_DEVICE inline void load_parameters(const float* parameters, const RowPlace& place, int k,
                                                  float (&values)[kLanes<T>]) {
  const int first = first_column<T>(place, k);
  if constexpr (kFit == RowFit::ragged) {
    const int inside = lanes_inside<T, kFit>(place, k);
    STEELYARD_UNROLL
    for (int i = 0; i < kLanes<T>; ++i) values[i] = i < inside ? parameters[first + i] : 0.0f;
  } else {
    STEELYARD_UNROLL
    for (int quarter = 0; quarter < kLanes<T> / 4; ++quarter) {
      float four[4];
      unpack<float>(load_shared_by_threads(parameters + first + 4 * quarter), four);
      STEELYARD_UNROLL
      for (int i = 0; i < 4; ++i) values[4 * quarter + i] = four[i];
    }
  }
}

// A row's packs as they came.
template <class T>
struct KeptPacks {
  Pack packs[kRowPacks];

  STEELYARD_HOST_DEVICE void forget() {
    STEELYARD_UNROLL
    for (int k = 0; k < kRowPacks; ++k) forget_lanes(packs[k]);
  }
};
template <class T, RowFit kFit>
STEELYARD_HOST_DEVICE KeptPacks<T> kept_packs(const RowPart<T, kFit>& part) {
  KeptPacks<T> kept;
  STEELYARD_UNROLL
  for (int k = 0; k < kRowPacks; ++k) kept.packs[k] = part.packs[k];
  return kept;
}

// Sum of function(value) over the thread's values inside the row. kZeroIsNothing: what lies outside is 0, and the
// function makes 0 of it.
template <class T, RowFit kFit, bool kZeroIsNothing, class Function>
STEELYARD_HOST_DEVICE float sum_over_part(const Pack (&packs)[kRowPacks], const RowPlace& place, Function function) {
  float sum = 0.0f;
  STEELYARD_UNROLL
  for (int k = 0; k < kRowPacks; ++k) {
    const int inside = kZeroIsNothing ? kLanes<T> : lanes_inside<T, kFit>(place, k);
    float values[kLanes<T>];
    unpack<T>(packs[k], values);
    STEELYARD_UNROLL
    for (int i = 0; i < kLanes<T>; ++i) {
      if (i < inside) sum += function(values[i]);
    }
  }
  return sum;
}

// A NaN is not the largest: in a softmax it reaches the sum, and so the whole row.
template <int kCount>
STEELYARD_HOST_DEVICE float largest_of_lanes(const float (&values)[kCount], int inside) {
  float largest = -kInfinity;
  STEELYARD_UNROLL
  for (int i = 0; i < kCount; ++i) {
    if (i < inside) largest = larger(largest, values[i]);
  }
  return largest;
}
template <class T, RowFit kFit>
STEELYARD_HOST_DEVICE float largest_of_part(const Pack (&packs)[kRowPacks], const RowPlace& place) {
  float largest = -kInfinity;
  STEELYARD_UNROLL
  for (int k = 0; k < kRowPacks; ++k) {
    float values[kLanes<T>];
    unpack<T>(packs[k], values);
    largest = larger(largest, largest_of_lanes(values, lanes_inside<T, kFit>(place, k)));
  }
  return largest;
}

// e^(x - largest) over the sum of these. The terms are kept, so that each is computed once.
struct Softmax {
  static constexpr bool kFirstIsLargest = true;
  static constexpr bool kHasSecond = true;
  template <class T>
  struct Kept {
    float terms[kRowPacks][kLanes<T>];
  };

  template <class T, RowFit kFit>
  STEELYARD_HOST_DEVICE Kept<T> keep(const RowPart<T, kFit>& part) const {
    Kept<T> kept;
    STEELYARD_UNROLL
    for (int k = 0; k < kRowPacks; ++k) unpack<T>(part.packs[k], kept.terms[k]);
    return kept;
  }

  template <class T, RowFit kFit>
  STEELYARD_HOST_DEVICE float first(Kept<T>& kept, const RowPlace& place) const {
    float largest = -kInfinity;
    STEELYARD_UNROLL
    for (int k = 0; k < kRowPacks; ++k) {
      largest = larger(largest, largest_of_lanes(kept.terms[k], lanes_inside<T, kFit>(place, k)));
    }
    return largest;
  }

  template <class T, RowFit kFit>
  STEELYARD_HOST_DEVICE float second(Kept<T>& kept, const RowPlace& place, float largest) const {
    float sum = 0.0f;
    STEELYARD_UNROLL
    for (int k = 0; k < kRowPacks; ++k) {
      const int inside = lanes_inside<T, kFit>(place, k);
      STEELYARD_UNROLL
      for (int i = 0; i < kLanes<T>; ++i) {
        kept.terms[k][i] = exp_fast(kept.terms[k][i] - largest);
        if (i < inside) sum += kept.terms[k][i];
      }
    }
    return sum;
  }

  template <class T, RowFit kFit>
  STEELYARD_HOST_DEVICE void finish(Kept<T>& kept, const RowPlace& place, const RowTotals& totals, T* results) const {
    const float scale = 1.0f / totals.second;
    STEELYARD_UNROLL
    for (int k = 0; k < kRowPacks; ++k) {
      STEELYARD_UNROLL
      for (int i = 0; i < kLanes<T>; ++i) kept.terms[k][i] *= scale;
      store_part<T, kFit>(results, place, k, kept.terms[k]);
    }
  }
};

// To mean 0 and variance 1, then scaled and shifted by column. The deviations are squared, never the values: a mean
// square less a squared mean cancels to nothing.
struct LayerNorm {
  const float* weights = nullptr;  // columns values
  const float* biases = nullptr;

  static constexpr bool kFirstIsLargest = false;
  static constexpr bool kHasSecond = true;
  template <class T>
  using Kept = KeptPacks<T>;

  template <class T, RowFit kFit>
  STEELYARD_HOST_DEVICE Kept<T> keep(const RowPart<T, kFit>& part) const {
    return kept_packs(part);
  }

  template <class T, RowFit kFit>
  STEELYARD_HOST_DEVICE float first(Kept<T>& kept, const RowPlace& place) const {
    return sum_over_part<T, kFit, true>(kept.packs, place, [](float x) { return x; });
  }

  template <class T, RowFit kFit>
  STEELYARD_HOST_DEVICE float second(Kept<T>& kept, const RowPlace& place, float sum) const {
    kept.forget();
    const float mean = sum / static_cast<float>(place.columns);
    return sum_over_part<T, kFit, false>(kept.packs, place, [mean](float x) { return (x - mean) * (x - mean); });
  }

  template <class T, RowFit kFit>
  STEELYARD_HOST_DEVICE void finish(Kept<T>& kept, const RowPlace& place, const RowTotals& totals, T* results) const {
    const auto n = static_cast<float>(place.columns);
    const float mean = totals.first / n;
    const float scale = reciprocal_root(totals.second / n + kNormEpsilon);
    kept.forget();
    STEELYARD_UNROLL
    for (int k = 0; k < kRowPacks; ++k) {
      if (lanes_inside<T, kFit>(place, k) == 0) continue;
      float values[kLanes<T>];
      float parameters[kLanes<T>];
      unpack<T>(kept.packs[k], values);
      load_parameters<T, kFit>(weights, place, k, parameters);
      STEELYARD_UNROLL
      for (int i = 0; i < kLanes<T>; ++i) values[i] = (values[i] - mean) * scale * parameters[i];
      load_parameters<T, kFit>(biases, place, k, parameters);
      STEELYARD_UNROLL
      for (int i = 0; i < kLanes<T>; ++i) values[i] += parameters[i];
      store_part<T, kFit>(results, place, k, values);
    }
  }
};

// Over the root of the mean square, then scaled by column (Zhang and Sennrich, Root Mean Square Layer Normalization,
// 2019).
struct RmsNorm {
  const float* weights = nullptr;  // columns values

  static constexpr bool kFirstIsLargest = false;
  static constexpr bool kHasSecond = false;
  template <class T>
  using Kept = KeptPacks<T>;

  template <class T, RowFit kFit>
  STEELYARD_HOST_DEVICE Kept<T> keep(const RowPart<T, kFit>& part) const {
    return kept_packs(part);
  }

  template <class T, RowFit kFit>
  STEELYARD_HOST_DEVICE float first(Kept<T>& kept, const RowPlace& place) const {
    return sum_over_part<T, kFit, true>(kept.packs, place, [](float x) { return x * x; });
  }
  template <class T, RowFit kFit>
  STEELYARD_HOST_DEVICE float second(Kept<T>&, const RowPlace&, float) const {
    return 0.0f;
  }

  template <class T, RowFit kFit>
  STEELYARD_HOST_DEVICE void finish(Kept<T>& kept, const RowPlace& place, const RowTotals& totals, T* results) const {
    const float scale = reciprocal_root(totals.first / static_cast<float>(place.columns) + kNormEpsilon);
    kept.forget();
    STEELYARD_UNROLL
    for (int k = 0; k < kRowPacks; ++k) {
      if (lanes_inside<T, kFit>(place, k) == 0) continue;
      float values[kLanes<T>];
      float parameters[kLanes<T>];
      unpack<T>(kept.packs[k], values);
      load_parameters<T, kFit>(weights, place, k, parameters);
      STEELYARD_UNROLL
      for (int i = 0; i < kLanes<T>; ++i) values[i] = values[i] * scale * parameters[i];
      store_part<T, kFit>(results, place, k, values);
    }
  }
};

// The links of which a chain makes softmax and the normalizations: a statistic of each row, in single precision, and
// maps of each value with its row's statistic or its column's parameter, rounded to the values' type.

enum class RowStatistic { largest, sum, mean, sum_of_squares, inverse_root_of_mean_square };

// An operation on rows whose result is one number a row.
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

// Which rows are claimed: those of an operation and a width where that was measured to be faster. A block that takes
// every so many-th row has as many as the others, and the last to be done is waited for.
template <class Operation, class T>
inline constexpr bool kMayClaim = std::is_same_v<T, Bf16> &&
                                  (std::is_same_v<Operation, Softmax> || std::is_same_v<Operation, RmsNorm>);
template <class Operation, class T>
constexpr bool claims_rows(std::size_t columns) {
  return kMayClaim<Operation, T> && columns >= 16384 && row_fit<T>(columns) == RowFit::full;
}

// Claiming: the block's first row is its number, every further one it draws from a counter. A block ends with the first
// claim that is past the last row, so a launch makes as many claims as there are rows, whoever makes them, and a
// counter that goes back to 0 after that many is ready for the next launch.
STEELYARD_HOST_DEVICE constexpr std::size_t row_of_claim(unsigned blocks, unsigned claim) {
  return std::size_t{blocks} + claim;
}
// The claim after which the counter is 0 again.
STEELYARD_HOST_DEVICE constexpr unsigned last_claim(const RowsShape& shape) {
  return static_cast<unsigned>(shape.rows) - 1;
}

// The kernels on rows. Each call enqueues and returns; T: float, F16 or Bf16; values and results: rows x columns on the
// device, from addresses that are multiples of 16, and none of the same memory. Precondition: columns is 1 to
// kMaxColumns<T>, rows is less than 2^32. Two launches that claim may not run at the same time. Throws cuda::CudaError.

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
