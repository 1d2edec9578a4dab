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

#include "bench/suites/cuda/arithmetic/approximate_math.hpp"
#include "bench/suites/cuda/rows/row_part.hpp"

namespace steelyard::cuda_suite {

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

}  // namespace steelyard::cuda_suite
