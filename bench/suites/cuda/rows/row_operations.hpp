// What softmax, layer normalization and RMS normalization do with a row, in three steps: each thread makes a partial of
// its packs, the block joins the partials in its tree, and each thread writes its packs' results from the whole.
//
//     RowPart<T, kWhole> part;   part.load(row, place);
//     Kept kept;                 Partial own = operation.absorb<T, kWhole>(part, place, kept);
//     Partial whole = <joined over the block's tree with Operation::joined>;
//     operation.finish<T, kWhole>(kept, own, whole, place, results);
//
// Parameters that all rows share (weights, biases: single precision) stay in the first cache from row to row.
#pragma once

#include "bench/suites/cuda/arithmetic/approximate_math.hpp"
#include "bench/suites/cuda/rows/row_part.hpp"

namespace steelyard::cuda_suite {

inline constexpr float kNormEpsilon = 1e-5f;  // added to the variance or the mean square; PyTorch's layer norm

// `count` of the values of one pack at `first`, in single precision; columns past the row are 0.
template <class T, bool kWhole>
STEELYARD_HOST_DEVICE inline void load_parameters(const float* parameters, int first, int inside,
                                                  float (&values)[kLanes<T>]) {
  if (kWhole) {
    STEELYARD_UNROLL
    for (int quarter = 0; quarter < kLanes<T> / 4; ++quarter) {
      float four[4];
      unpack<float>(load_shared_by_threads(parameters + first + 4 * quarter), four);
      STEELYARD_UNROLL
      for (int i = 0; i < 4; ++i) values[4 * quarter + i] = four[i];
    }
    return;
  }
  STEELYARD_UNROLL
  for (int i = 0; i < kLanes<T>; ++i) values[i] = i < inside ? parameters[first + i] : 0.0f;
}

// e^(x - largest) over the sum of these. One pass: a sum is carried with the largest value that its terms are relative
// to, and rescaled where two meet (Milakov and Gimelshein, Online normalizer calculation for softmax, 2018).
struct Softmax {
  struct Partial {
    float largest;
    float sum;  // of e^(x - largest)
  };
  template <class T>
  struct Kept {
    float terms[kRowPacks][kLanes<T>];  // e^(x - the thread's largest)
  };

  STEELYARD_HOST_DEVICE static Partial neutral() { return {-kInfinity, 0.0f}; }

  STEELYARD_HOST_DEVICE static Partial joined(const Partial& a, const Partial& b) {
    const float largest = larger(a.largest, b.largest);
    // Nothing but -infinity so far: e^(-infinity - -infinity) would be no number.
    if (largest == -kInfinity) return {largest, a.sum + b.sum};
    return {largest, a.sum * exp_accurate(a.largest - largest) + b.sum * exp_accurate(b.largest - largest)};
  }

  template <class T, bool kWhole>
  STEELYARD_HOST_DEVICE Partial absorb(const RowPart<T, kWhole>& part, const RowPlace& place, Kept<T>& kept) const {
    float largest = -kInfinity;
    STEELYARD_UNROLL
    for (int k = 0; k < kRowPacks; ++k) {
      const int inside = lanes_inside<T, kWhole>(place, k);
      unpack<T>(part.packs[k], kept.terms[k]);
      STEELYARD_UNROLL
      for (int i = 0; i < kLanes<T>; ++i) {
        if (i < inside) largest = larger(largest, kept.terms[k][i]);
      }
    }
    float sum = 0.0f;
    STEELYARD_UNROLL
    for (int k = 0; k < kRowPacks; ++k) {
      const int inside = lanes_inside<T, kWhole>(place, k);
      STEELYARD_UNROLL
      for (int i = 0; i < kLanes<T>; ++i) {
        if (i >= inside) continue;
        const float x = kept.terms[k][i];
        // A NaN is not the largest: it has to reach the sum all the same.
        kept.terms[k][i] = x == -kInfinity ? 0.0f : exp_accurate(x - largest);
        sum += kept.terms[k][i];
      }
    }
    return {largest, sum};
  }

  template <class T, bool kWhole>
  STEELYARD_HOST_DEVICE void finish(Kept<T>& kept, const Partial& own, const Partial& whole, const RowPlace& place,
                                    T* results) const {
    const float scale = exp_accurate(own.largest - whole.largest) / whole.sum;
    STEELYARD_UNROLL
    for (int k = 0; k < kRowPacks; ++k) {
      STEELYARD_UNROLL
      for (int i = 0; i < kLanes<T>; ++i) kept.terms[k][i] *= scale;
      store_part<T, kWhole>(results, place, k, kept.terms[k]);
    }
  }
};

// To mean 0 and variance 1, then scaled and shifted by column. The threads' counts, means and sums of squared
// deviations are joined as Chan, Golub and LeVeque have it (Updating formulae and a pairwise algorithm for computing
// sample variances, 1979): one tree, and nothing cancels.
struct LayerNorm {
  const float* weights = nullptr;  // columns values
  const float* biases = nullptr;

  struct Partial {
    float count;
    float mean;
    float squares;  // sum of squared deviations from the mean
  };
  template <class T>
  struct Kept {
    Pack packs[kRowPacks];
  };

  STEELYARD_HOST_DEVICE static Partial neutral() { return {0.0f, 0.0f, 0.0f}; }

  STEELYARD_HOST_DEVICE static Partial joined(const Partial& a, const Partial& b) {
    const float count = a.count + b.count;
    if (count == 0.0f) return a;
    const float share = quotient_fast(b.count, count);
    const float apart = b.mean - a.mean;
    return {count, a.mean + apart * share, a.squares + b.squares + apart * apart * (a.count * share)};
  }

  template <class T, bool kWhole>
  STEELYARD_HOST_DEVICE Partial absorb(const RowPart<T, kWhole>& part, const RowPlace& place, Kept<T>& kept) const {
    float sum = 0.0f;
    int count = 0;
    STEELYARD_UNROLL
    for (int k = 0; k < kRowPacks; ++k) {
      kept.packs[k] = part.packs[k];
      count += lanes_inside<T, kWhole>(place, k);
      float values[kLanes<T>];
      unpack<T>(part.packs[k], values);
      STEELYARD_UNROLL
      for (int i = 0; i < kLanes<T>; ++i) sum += values[i];  // what lies outside the row is 0
    }
    if (count == 0) return neutral();
    const float mean = sum / static_cast<float>(count);
    float squares = 0.0f;
    STEELYARD_UNROLL
    for (int k = 0; k < kRowPacks; ++k) {
      const int inside = lanes_inside<T, kWhole>(place, k);
      float values[kLanes<T>];
      unpack<T>(part.packs[k], values);
      STEELYARD_UNROLL
      for (int i = 0; i < kLanes<T>; ++i) {
        if (i < inside) squares += (values[i] - mean) * (values[i] - mean);
      }
    }
    return {static_cast<float>(count), mean, squares};
  }

  template <class T, bool kWhole>
  STEELYARD_HOST_DEVICE void finish(Kept<T>& kept, const Partial&, const Partial& whole, const RowPlace& place,
                                    T* results) const {
    const float scale = reciprocal_root(whole.squares / whole.count + kNormEpsilon);
    STEELYARD_UNROLL
    for (int k = 0; k < kRowPacks; ++k) {
      const int inside = lanes_inside<T, kWhole>(place, k);
      if (inside == 0) continue;
      const int first = (place.thread + k * place.threads) * kLanes<T>;
      float values[kLanes<T>];
      float scales[kLanes<T>];
      float shifts[kLanes<T>];
      unpack<T>(kept.packs[k], values);
      load_parameters<T, kWhole>(weights, first, inside, scales);
      load_parameters<T, kWhole>(biases, first, inside, shifts);
      STEELYARD_UNROLL
      for (int i = 0; i < kLanes<T>; ++i) values[i] = (values[i] - whole.mean) * scale * scales[i] + shifts[i];
      store_part<T, kWhole>(results, place, k, values);
    }
  }
};

// Over the root of the mean square, then scaled by column (Zhang and Sennrich, Root Mean Square Layer Normalization,
// 2019).
struct RmsNorm {
  const float* weights = nullptr;  // columns values

  struct Partial {
    float squares;
  };
  template <class T>
  struct Kept {
    Pack packs[kRowPacks];
  };

  STEELYARD_HOST_DEVICE static Partial neutral() { return {0.0f}; }
  STEELYARD_HOST_DEVICE static Partial joined(const Partial& a, const Partial& b) { return {a.squares + b.squares}; }

  template <class T, bool kWhole>
  STEELYARD_HOST_DEVICE Partial absorb(const RowPart<T, kWhole>& part, const RowPlace&, Kept<T>& kept) const {
    float squares = 0.0f;
    STEELYARD_UNROLL
    for (int k = 0; k < kRowPacks; ++k) {
      kept.packs[k] = part.packs[k];
      float values[kLanes<T>];
      unpack<T>(part.packs[k], values);
      STEELYARD_UNROLL
      for (int i = 0; i < kLanes<T>; ++i) squares += values[i] * values[i];  // what lies outside the row is 0
    }
    return {squares};
  }

  template <class T, bool kWhole>
  STEELYARD_HOST_DEVICE void finish(Kept<T>& kept, const Partial&, const Partial& whole, const RowPlace& place,
                                    T* results) const {
    const float scale = reciprocal_root(whole.squares / static_cast<float>(place.columns) + kNormEpsilon);
    STEELYARD_UNROLL
    for (int k = 0; k < kRowPacks; ++k) {
      const int inside = lanes_inside<T, kWhole>(place, k);
      if (inside == 0) continue;
      const int first = (place.thread + k * place.threads) * kLanes<T>;
      float values[kLanes<T>];
      float scales[kLanes<T>];
      unpack<T>(kept.packs[k], values);
      load_parameters<T, kWhole>(weights, first, inside, scales);
      STEELYARD_UNROLL
      for (int i = 0; i < kLanes<T>; ++i) values[i] = values[i] * scale * scales[i];
      store_part<T, kWhole>(results, place, k, values);
    }
  }
};

}  // namespace steelyard::cuda_suite
