// Whole kernels played on the CPU: every block, every thread of it, every exchange, in the order that the device's
// barriers allow. The functions of the threads are the ones that the kernels run.
#pragma once

#include <cstring>
#include <span>
#include <vector>

#include "bench/suites/cuda/arithmetic/block_tree.hpp"
#include "bench/suites/cuda/arithmetic/seeded_inputs.hpp"
#include "bench/suites/cuda/cdist/cdist_kernels.hpp"
#include "bench/suites/cuda/elementwise/elementwise_kernels.hpp"
#include "bench/suites/cuda/gemv/gemv_kernels.hpp"
#include "bench/suites/cuda/rows/row_kernels.hpp"

namespace steelyard::cuda_suite {

// An array as the device's allocator gives it: its begin is a multiple of 16, and it has guards of other values behind
// it that no kernel may change. Filled with 0xFF: in every floating type no number.
template <class T>
class PlayedArray {
 public:
  explicit PlayedArray(std::size_t size) : size_(size), packs_((size * sizeof(T) + 15) / 16 + kGuards) {
    std::memset(static_cast<void*>(packs_.data()), 0xff, packs_.size() * sizeof(Pack));
  }
  explicit PlayedArray(const std::vector<T>& values) : PlayedArray(values.size()) {
    if (!values.empty()) std::memcpy(data(), values.data(), values.size() * sizeof(T));
  }

  T* data() { return reinterpret_cast<T*>(packs_.data()); }
  const T* data() const { return reinterpret_cast<const T*>(packs_.data()); }
  std::size_t size() const { return size_; }
  std::span<const T> values() const { return {data(), size_}; }

  // Nothing behind the last value was written.
  bool guards_hold() const {
    const auto* bytes = reinterpret_cast<const unsigned char*>(packs_.data());
    for (std::size_t i = size_ * sizeof(T); i < packs_.size() * sizeof(Pack); ++i) {
      if (bytes[i] != 0xff) return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t kGuards = 4;
  std::size_t size_;
  std::vector<Pack> packs_;
};

template <class T>
PlayedArray<T> seeded_array(std::size_t size, std::uint64_t seed) {
  PlayedArray<T> array(size);
  for (std::size_t i = 0; i < size; ++i) array.data()[i] = seeded_value<T>(seed, i);
  return array;
}

template <class T>
std::vector<double> to_doubles(std::span<const T> values) {
  std::vector<double> wide;
  for (const T value : values) wide.push_back(static_cast<double>(widened(value)));
  return wide;
}

template <class Operation, class T>
void play_elementwise(const Operation& operation, const T* left, const T* right, T* results, std::size_t n) {
  for (std::size_t block = 0; block < elementwise_blocks<T>(n); ++block) {
    for (int thread = 0; thread < kElementwiseThreads; ++thread) {
      elementwise_thread(BlockPlace{block, thread}, operation, left, right, results, n);
    }
  }
}

template <RowFit kFit, class Operation, class T>
void play_row(const Operation& operation, const RowsShape& shape, std::size_t row, const T* values, T* results) {
  const int threads = threads_of_row<T>(shape.columns);
  const auto place = [&](int thread) { return RowPlace{thread, threads, static_cast<int>(shape.columns), row}; };
  std::vector<typename Operation::template Kept<T>> kept;
  std::vector<float> firsts;
  for (int thread = 0; thread < threads; ++thread) {
    RowPart<T, kFit> part;
    part.load(values + row * shape.columns, place(thread));
    kept.push_back(operation.template keep<T, kFit>(part));
    firsts.push_back(operation.template first<T, kFit>(kept.back(), place(thread)));
  }
  firsts = play_block_tree(firsts, neutral_first<Operation>(), joined_first<Operation>);
  std::vector<float> seconds;
  for (int thread = 0; thread < threads; ++thread) {
    const auto at = static_cast<std::size_t>(thread);
    seconds.push_back(operation.template second<T, kFit>(kept[at], place(thread), firsts[at]));
  }
  seconds = play_block_tree(seconds, 0.0f, [](float a, float b) { return a + b; });
  for (int thread = 0; thread < threads; ++thread) {
    const auto at = static_cast<std::size_t>(thread);
    operation.template finish<T, kFit>(kept[at], place(thread), {firsts[at], seconds[at]},
                                       results + row * shape.columns);
  }
}

template <class Operation, class T>
void play_rows(const Operation& operation, const RowsShape& shape, const T* values, T* results) {
  for (std::size_t row = 0; row < shape.rows; ++row) {
    switch (row_fit<T>(shape.columns)) {
      case RowFit::full:
        play_row<RowFit::full>(operation, shape, row, values, results);
        break;
      case RowFit::whole:
        play_row<RowFit::whole>(operation, shape, row, values, results);
        break;
      case RowFit::ragged:
        play_row<RowFit::ragged>(operation, shape, row, values, results);
        break;
    }
  }
}

template <RowMap kMap, RowFit kFit, class T>
void play_map_as(const RowsShape& shape, const T* values, const float* others, T* results) {
  const int threads = threads_of_row<T>(shape.columns);
  for (std::size_t row = 0; row < shape.rows; ++row) {
    for (int thread = 0; thread < threads; ++thread) {
      const RowPlace place{thread, threads, static_cast<int>(shape.columns), row};
      RowPart<T, kFit> part;
      part.load(values + row * shape.columns, place);
      map_part<kMap, T, kFit>(part, place, others, results + row * shape.columns);
    }
  }
}
template <RowMap kMap, class T>
void play_map(const RowsShape& shape, const T* values, const float* others, T* results) {
  if (row_fit<T>(shape.columns) == RowFit::ragged) {
    play_map_as<kMap, RowFit::ragged>(shape, values, others, results);
  } else {
    play_map_as<kMap, RowFit::whole>(shape, values, others, results);
  }
}

template <int kRows, bool kWhole, int kAhead = 2, class Weight>
void play_gemv_as(const GemvOperands<Weight>& operands, int threads) {
  const std::size_t results = operands.products * operands.shape.rows;
  for (std::size_t first = 0; first < results; first += kRows) {
    std::vector<GemvSums<kRows>> sums;
    for (int thread = 0; thread < threads; ++thread) {
      sums.push_back(gemv_thread<Weight, kRows, kWhole, kAhead>(operands, {first, thread, threads}));
    }
    const auto whole =
        play_block_tree(sums, GemvSums<kRows>{}, [](const auto& a, const auto& b) { return added(a, b); });
    for (int thread = 0; thread < threads; ++thread) {
      gemv_write<Weight, kRows>(operands, {first, thread, threads}, whole[static_cast<std::size_t>(thread)]);
    }
  }
}
template <class Weight>
void play_gemv(const GemvOperands<Weight>& operands, const GemvPlan& plan) {
  const bool whole = operands.shape.columns % kLanes<Weight> == 0;
  if (plan.ahead == kManyAhead) {
    return whole ? play_gemv_as<1, true, kManyAhead>(operands, plan.threads)
                 : play_gemv_as<1, false, kManyAhead>(operands, plan.threads);
  }
  if (plan.rows == 4)
    return whole ? play_gemv_as<4, true>(operands, plan.threads) : play_gemv_as<4, false>(operands, plan.threads);
  if (plan.rows == 2)
    return whole ? play_gemv_as<2, true>(operands, plan.threads) : play_gemv_as<2, false>(operands, plan.threads);
  return whole ? play_gemv_as<1, true>(operands, plan.threads) : play_gemv_as<1, false>(operands, plan.threads);
}

template <bool kWhole, class T>
void play_cdist_as(const CdistShape& shape, const T* left, const T* right, T* results) {
  CdistTile<T> tile;
  for (std::size_t i = 0; i < shape.lefts; i += kCdistTile) {
    for (std::size_t j = 0; j < shape.rights; j += kCdistTile) {
      std::vector<CdistSums> sums(kCdistThreads);
      const auto place = [&](int thread) { return CdistPlace{i, j, thread}; };
      for (std::size_t column = 0; column < shape.dim; column += kCdistDepth<T>) {
        std::memset(static_cast<void*>(&tile), 0xff, sizeof(tile));
        for (int t = 0; t < kCdistThreads; ++t) load_tile<T, kWhole>(shape, left, right, place(t), column, tile);
        for (int t = 0; t < kCdistThreads; ++t) add_tile<T>(tile, t, sums[static_cast<std::size_t>(t)]);
      }
      for (int t = 0; t < kCdistThreads; ++t) {
        write_tile(shape, place(t), sums[static_cast<std::size_t>(t)], results);
      }
    }
  }
}
template <class T>
void play_cdist(const CdistShape& shape, const T* left, const T* right, T* results) {
  if (shape.dim % kLanes<T> == 0) {
    play_cdist_as<true>(shape, left, right, results);
  } else {
    play_cdist_as<false>(shape, left, right, results);
  }
}

}  // namespace steelyard::cuda_suite
