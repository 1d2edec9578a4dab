// Matrix times vector (GEMV), and the same with matrices gathered from a stack: what one thread does. A block has one
// or some rows; its threads share the columns, each taking every threads-th pack of all its block's rows, so that a
// pack of the vector serves several rows. The threads' sums are joined in the block's tree, row by row.
//
// Weights: bf16, or 8-bit integers with a scale a row; the vector and the product then are bf16, sums single precision,
// and the products of such numbers are exact, so that each weight costs one rounding. Or all of it single precision.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "bench/cuda/workload.hpp"
#include "bench/suites/cuda/arithmetic/block_tree.hpp"
#include "bench/suites/cuda/arithmetic/pack.hpp"

namespace steelyard::cuda_suite {

struct MatrixShape {
  std::size_t rows = 0;
  std::size_t columns = 0;  // at least 1
};

// What the vector and the product are of.
template <class Weight>
using GemvValue = std::conditional_t<std::is_same_v<Weight, float>, float, Bf16>;

template <class Weight>
struct GemvOperands {
  MatrixShape shape;                          // of one matrix
  const Weight* weights = nullptr;            // one matrix, or a stack of them, one after the other
  const float* scales = nullptr;              // one a row of every matrix; null: none
  const int* picks = nullptr;                 // which matrices of the stack; null: the first
  std::size_t products = 1;                   // how many are picked; products x rows is less than 2^32
  const GemvValue<Weight>* vector = nullptr;  // columns values
  GemvValue<Weight>* results = nullptr;       // products x rows
};

struct GemvPlan {
  int rows = 1;  // of a block: 1, 2 or 4
  int threads = kWarp;
  int ahead = 2;  // packs of a row that a thread has on their way: 2, or kManyAhead with one row a block
};
inline constexpr int kManyAhead = 8;

// Weights of 8 and 16 bits from 4096 columns on: a row a block, with all of it on its way at once. That is 128 bytes a
// thread, as with four rows, but no round waits for the one before it, and a block is done, and makes room, after a
// quarter of the weights.
template <class Weight>
inline constexpr bool kMayHaveWholeRows = sizeof(Weight) < sizeof(float);
inline constexpr std::size_t kWholeRowColumns = 4096;

// Else threads for one pack each, up to 256. Several rows a block where that leaves enough blocks for all
// multiprocessors, else one: a small matrix has to be spread thin to be read at the memory's rate.
template <class Weight>
constexpr GemvPlan gemv_plan(const MatrixShape& shape, std::size_t products, int multiprocessors) {
  constexpr std::size_t kMax = 256;
  const std::size_t packs = (shape.columns + kLanes<Weight> - 1) / kLanes<Weight>;
  if (kMayHaveWholeRows<Weight> && shape.columns >= kWholeRowColumns) {
    return {1, static_cast<int>(std::min(packs / kManyAhead / kWarp * kWarp, kMax)), kManyAhead};
  }
  const std::size_t results = products * shape.rows;
  const std::size_t enough = 4 * static_cast<std::size_t>(multiprocessors);
  GemvPlan plan;
  plan.threads = static_cast<int>(std::min((packs + kWarp - 1) / kWarp * kWarp, kMax));
  plan.rows = results / 4 >= enough ? 4 : results / 2 >= enough ? 2 : 1;
  return plan;
}

// Where row `result` of all products begins, and its scale.
template <class Weight>
STEELYARD_HOST_DEVICE std::size_t stack_row(const GemvOperands<Weight>& operands, std::size_t result) {
  if (operands.picks == nullptr) return result;
  // In 32 bits: a division of 64 takes the device longer than a weight takes to come.
  const auto rows = static_cast<std::uint32_t>(operands.shape.rows);
  const std::uint32_t product = static_cast<std::uint32_t>(result) / rows;
  const std::uint32_t row = static_cast<std::uint32_t>(result) - product * rows;
  return static_cast<std::size_t>(operands.picks[product]) * rows + row;
}

template <int kRows>
struct GemvSums {
  float of_row[kRows];
};
template <int kRows>
STEELYARD_HOST_DEVICE GemvSums<kRows> added(const GemvSums<kRows>& a, const GemvSums<kRows>& b) {
  GemvSums<kRows> sums;
  STEELYARD_UNROLL
  for (int row = 0; row < kRows; ++row) sums.of_row[row] = a.of_row[row] + b.of_row[row];
  return sums;
}

STEELYARD_HOST_DEVICE inline float widened(std::int8_t value) { return static_cast<float>(value); }

// Packs of the vector that go with one pack of weights.
template <class Weight>
inline constexpr int kVectorPacks = kLanes<Weight> / kLanes<GemvValue<Weight>>;

template <class Weight>
STEELYARD_HOST_DEVICE void load_vector(const GemvValue<Weight>* vector, std::size_t pack,
                                       Pack (&packs)[kVectorPacks<Weight>]) {
  constexpr std::size_t kStep = kLanes<GemvValue<Weight>>;
  STEELYARD_UNROLL
  for (int i = 0; i < kVectorPacks<Weight>; ++i) {
    packs[i] = load_shared_by_threads(vector + pack * kLanes<Weight> + static_cast<std::size_t>(i) * kStep);
  }
}

template <class Weight, int kRows>
STEELYARD_HOST_DEVICE void add_products(const Pack (&weights)[kRows], const Pack (&vector)[kVectorPacks<Weight>],
                                        GemvSums<kRows>& sums) {
  using Value = GemvValue<Weight>;
  float x[kVectorPacks<Weight>][kLanes<Value>];
  STEELYARD_UNROLL
  for (int i = 0; i < kVectorPacks<Weight>; ++i) unpack<Value>(vector[i], x[i]);
  STEELYARD_UNROLL
  for (int row = 0; row < kRows; ++row) {
    float w[kLanes<Weight>];
    unpack<Weight>(weights[row], w);
    STEELYARD_UNROLL
    for (int i = 0; i < kLanes<Weight>; ++i) {
      sums.of_row[row] += w[i] * x[i / kLanes<Value>][i % kLanes<Value>];
    }
  }
}

struct GemvPlace {
  std::size_t first = 0;  // result of the block's first row
  int thread = 0;
  int threads = 0;
};

// The thread's sums of kRows rows. Rows past the last are the last again: their sums are not written. kWhole: the
// length is a multiple of a pack's lanes; else weights are read one by one.
template <class Weight, int kRows, bool kWhole, int kAhead = 2>
STEELYARD_HOST_DEVICE GemvSums<kRows> gemv_thread(const GemvOperands<Weight>& operands, const GemvPlace& place) {
  const std::size_t results = operands.products * operands.shape.rows;
  const std::size_t columns = operands.shape.columns;
  const auto thread = static_cast<std::size_t>(place.thread);
  const auto threads = static_cast<std::size_t>(place.threads);
  const Weight* rows[kRows];
  GemvSums<kRows> sums;
  STEELYARD_UNROLL
  for (int row = 0; row < kRows; ++row) {
    const std::size_t result = place.first + static_cast<std::size_t>(row);
    rows[row] = operands.weights + stack_row(operands, result < results ? result : results - 1) * columns;
    sums.of_row[row] = 0.0f;
  }
  if (!kWhole) {
    for (std::size_t column = thread; column < columns; column += threads) {
      const float x = widened(operands.vector[column]);
      STEELYARD_UNROLL
      for (int row = 0; row < kRows; ++row) sums.of_row[row] += widened(rows[row][column]) * x;
    }
    return sums;
  }
  const std::size_t packs = columns / kLanes<Weight>;
  std::size_t pack = thread;
  // kAhead packs of each row are on their way before the first is used; those of the vector are near, and come in twos.
  for (; pack + (kAhead - 1) * threads < packs; pack += kAhead * threads) {
    Pack ahead[kAhead][kRows];
    STEELYARD_UNROLL
    for (int row = 0; row < kRows; ++row) {
      STEELYARD_UNROLL
      for (int k = 0; k < kAhead; ++k) {
        ahead[k][row] = load_streaming(rows[row] + (pack + static_cast<std::size_t>(k) * threads) * kLanes<Weight>);
      }
    }
    STEELYARD_UNROLL
    for (int k = 0; k < kAhead; k += 2) {
      const std::size_t near = pack + static_cast<std::size_t>(k) * threads;
      Pack vector[2][kVectorPacks<Weight>];
      load_vector<Weight>(operands.vector, near, vector[0]);
      load_vector<Weight>(operands.vector, near + threads, vector[1]);
      add_products<Weight, kRows>(ahead[k], vector[0], sums);
      add_products<Weight, kRows>(ahead[k + 1], vector[1], sums);
    }
  }
  for (; pack < packs; pack += threads) {
    Pack last[kRows];
    Pack vector_last[kVectorPacks<Weight>];
    STEELYARD_UNROLL
    for (int row = 0; row < kRows; ++row) last[row] = load_streaming(rows[row] + pack * kLanes<Weight>);
    load_vector<Weight>(operands.vector, pack, vector_last);
    add_products<Weight, kRows>(last, vector_last, sums);
  }
  return sums;
}

// What the block's first kRows threads write of the joined sums: one row each.
template <class Weight, int kRows>
STEELYARD_HOST_DEVICE void gemv_write(const GemvOperands<Weight>& operands, const GemvPlace& place,
                                      const GemvSums<kRows>& whole) {
  STEELYARD_UNROLL
  for (int row = 0; row < kRows; ++row) {
    const std::size_t result = place.first + static_cast<std::size_t>(row);
    if (place.thread != row || result >= operands.products * operands.shape.rows) continue;
    const float scale = operands.scales == nullptr ? 1.0f : operands.scales[stack_row(operands, result)];
    operands.results[result] = narrowed<GemvValue<Weight>>(whole.of_row[row] * scale);
  }
}

// Matrix times vector on the device. Weight: float, Bf16 or std::int8_t. Enqueues and returns; all arrays of
// the operands lie on the device, from addresses that are multiples of 16. Throws cuda::CudaError.

template <class Weight>
void launch_gemv(const GemvOperands<Weight>& operands, const GemvPlan& plan, cudaStream_t stream);

}  // namespace steelyard::cuda_suite
